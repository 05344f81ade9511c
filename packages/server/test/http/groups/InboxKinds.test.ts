/** Each kind of thing that may wait for somebody, and what it is not hidden behind. */
import { Planner, PlannerFailed } from "@pawl/core/change/Planner"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { commandId } from "@pawl/core/model/Command"
import { Limits } from "@pawl/core/primitives/Limits"
import { Agent } from "@pawl/core/task/Agent"
import { type InboxItem, type InboxKind, inboxKinds } from "@pawl/core/why/Inbox"
import { Commands } from "@pawl/core/work/Commands"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, newCandidate, newProject, startApi } from "../TestApi.ts"

/** A source whose checks a Change alters, so that somebody must approve. */
const risky = { "pawl.json": JSON.stringify({ checks: [{ id: "test", command: "true" }] }) }

const task = {
  key: "a",
  title: "a",
  kind: "implement",
  complexity: "small",
  instructions: "a",
  dependsOn: [],
  writes: []
}

const hopeless = "a goal that nobody can plan"

/** A planner that gives up on one goal, and an agent that spends what there is. */
const crew = Layer.mergeAll(
  Layer.succeed(Planner, {
    available: true,
    plan: ({ goal }) =>
      goal === hopeless ? Effect.fail(new PlannerFailed({ reason: "it names nothing" })) : Effect.succeed([task])
  }),
  Layer.succeed(Agent, {
    work: () =>
      Effect.succeed({ _tag: "Stopped", reason: "the budget of $1 is spent", usage: { modelCalls: 1, costUsd: 1 } })
  })
)

/** So many commands of a Project that failed too often. */
const bury = (projectId: string, count: number) =>
  Effect.gen(function* () {
    const commands = yield* Commands
    const kind = "webhook.deliver"
    yield* (yield* Ledger).commit({
      name: "test",
      projectId,
      commands: Array.from({ length: count }, (_, n) => ({
        kind,
        id: commandId(kind, `${projectId}/webhook:${n}/1`),
        payload: {},
        maxAttempts: 1
      }))
    })
    for (const { lease } of yield* commands.claim({ worker: "test", kinds: [kind], limit: count, leaseMs: 1000 }))
      yield* commands.fail(lease, "it broke", 0)
  })

describe("What waits for somebody", () => {
  /** Where people work, and where agents do. */
  let people: Api
  let agents: Api

  beforeAll(async () => {
    people = await startApi({ settings: { fixturesEnabled: true } })
    agents = await startApi({ agents: crew })
  })
  afterAll(async () => {
    await people.close()
    await agents.close()
  })

  const inbox = async (api: Api, projectId: string) => {
    const { items, isPart } = (await api.call("GET", "/v1/inbox")).body
    return { isPart, items: items.filter((each: InboxItem) => each.projectId === projectId) }
  }

  const opened = async (api: Api, projectId: string, name: string, goal = "a goal"): Promise<string> => {
    const body = { clientRequestId: name, goal, budget_usd: 1 }
    const { change } = (await api.call("POST", `/v1/projects/${projectId}/changes`, { body })).body
    return change.id
  }

  /** A Change that nobody asked a Candidate of. */
  const verified = async (projectId: string, name: string) => {
    const id = await opened(people, projectId, name)
    await people.call("POST", `/v1/changes/${id}/changesets`, { body: { message: name, files: { "a.txt": name } } })
  }

  /** Has one thing of the kind wait in a Project, and answers how it should be told. */
  const scenes: Readonly<Record<InboxKind, (projectId: string, api: Api) => Promise<Partial<InboxItem>>>> = {
    approval: async (projectId, api) => {
      const { candidateId, changeId } = await newCandidate(api, projectId, "risky", risky)
      return { id: changeId, changeId, candidateId, status: "awaiting_approval", title: "a goal" }
    },
    candidate: async (projectId, api) => {
      const { candidateId, changeId } = await newCandidate(api, projectId, "broken", { "result.txt": "broken" })
      return { id: changeId, changeId, candidateId, status: "rejected", reason: expect.stringContaining("test") }
    },
    release: async (projectId, api) => {
      const { candidateId, changeId } = await newCandidate(api, projectId, "live", { "a.txt": "a" })
      await api.call("POST", `/v1/candidates/${candidateId}/promote`)
      await api.settle()
      await api.call("POST", `/v1/projects/${projectId}/releases/inject-failure`)
      return { id: `rel_${projectId}_1`, changeId, candidateId, status: "smoke_failed", title: "Release of S1" }
    },
    dead_letter: async (projectId, api) => {
      await api.run(bury(projectId, 1))
      return { changeId: null, candidateId: null, status: "dead", title: "webhook.deliver", reason: "it broke" }
    },
    budget: async (projectId, api) => {
      const changeId = await opened(api, projectId, "spent")
      await api.settle()
      return { id: changeId, changeId, candidateId: null, status: "budget_blocked", title: "a goal" }
    },
    change: async (projectId, api) => {
      const changeId = await opened(api, projectId, "hopeless", hopeless)
      await api.settle()
      return { id: changeId, changeId, status: "failed", reason: expect.stringContaining("it names nothing") }
    }
  }

  it.each(inboxKinds)("is told as the kind %s, of what it is and why", async (kind) => {
    const api = kind === "budget" || kind === "change" ? agents : people
    const { id, label } = await newProject(api, `has-a-${kind.replace("_", "-")}`)
    const told = await scenes[kind](id, api)
    expect(await inbox(api, id)).toMatchObject({ items: [{ kind, projectId: id, label, ...told }], isPart: false })
  })

  it("is an approval, however many Changes were only opened after it", async () => {
    const { id } = await newProject(people, "busy")
    const { changeId } = await newCandidate(people, id, "risky", risky)
    for (let n = 0; n < Limits.inboxChanges + 10; n++) await opened(people, id, `opened-${n}`)
    expect(await inbox(people, id)).toMatchObject({ items: [{ kind: "approval", id: changeId }], isPart: false })
  })

  it("is an approval, however many Changes are verified, and says that there may be more of these", async () => {
    const { id } = await newProject(people, "crowded")
    const { changeId } = await newCandidate(people, id, "risky", risky)
    for (let n = 0; n < Limits.inboxChanges; n++) await verified(id, `verified-${n}`)
    expect((await inbox(people, id)).isPart).toBe(false)
    await verified(id, "one too many")
    expect(await inbox(people, id)).toMatchObject({ items: [{ kind: "approval", id: changeId }], isPart: true })
  })

  it("says that there are more dead letters than it lists", async () => {
    const { id } = await newProject(agents, "buried")
    await agents.run(bury(id, Limits.inboxLetters))
    expect(await inbox(agents, id)).toMatchObject({ items: { length: Limits.inboxLetters }, isPart: false })
    await agents.run(bury(id, Limits.inboxLetters + 1))
    expect(await inbox(agents, id)).toMatchObject({ items: { length: Limits.inboxLetters }, isPart: true })
  })
})
