/** Models on an installation in real workerd: a goal that is planned and worked by them, and what needs a container. */
import { taskTools } from "@pawl/server/mcp/tools/TaskTools"
import { calls } from "@pawl/testing/provider/Script"
import * as Provider from "@pawl/testing/provider/ScriptedProvider"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { install, type Installed } from "../../../../deploy/cloudflare/Here.ts"
import { modelChoiceOf } from "../../../../deploy/cloudflare/ModelChoice.ts"
import type { Installation } from "../../../../deploy/cloudflare/Scripts.ts"
import { goalToLive } from "../e2e/agents/GoalToLive.ts"
import * as ChangeFlow from "../e2e/kit/ChangeFlow.ts"
import * as Flow from "../e2e/kit/Flow.ts"
import { done, environmentOf, script, type Team, write } from "../e2e/kit/ScriptedTeam.ts"
import { assistantAt } from "../e2e/mcp/Assistant.ts"

interface Claimed {
  readonly run: { readonly id: string } & Record<"taskId" | "changeId" | "projectId", string>
  readonly token: string
}

const namesOf = (tools: ReadonlyArray<{ readonly name: string }>) => tools.map(({ name }) => name).toSorted()

const one: Team = {
  tasks: [{ key: "note", title: "The note" }],
  agents: { "The note": [calls("run", { command: "cat verdict.txt" }), write("public/note.txt", "noted\n"), done] }
}

const minuteMs = 60_000

/** Nothing but a build looks at it. */
const unchecked = { ...Flow.source("one"), "pawl.json": JSON.stringify({ probes: [{ path: "/", status: 200 }] }) }

const begin = (provider: Provider.ScriptedProvider, options: Partial<Installation> = {}): Promise<Installed> => {
  const models = modelChoiceOf(environmentOf(provider))
  if (models === null || typeof models === "string") throw new Error(`no models: ${models}`)
  return install({ models, ...options }, { aheadMs: 0, secrets: { MODEL_KEY: ChangeFlow.modelKey } })
}

describe("Goals in workerd, with a scripted model", () => {
  let provider: Provider.ScriptedProvider
  let here: Installed
  beforeAll(async () => {
    provider = await Provider.open(script(one))
    here = await begin(provider)
  })
  afterAll(async () => {
    await here.close()
    await provider.close()
  })

  it("go live: three Tasks of three agents, each call paid once", () => goalToLive(here.api, provider, "greetings"))

  it("have the container run what an agent asks for, by models of their tiers, and the key in one header alone", async () => {
    provider.follow(script(one))
    const before = provider.asked().length
    const project = await Flow.createProject(here.api, "tiers")
    const { id } = await ChangeFlow.openGoal(here.api, project.id, "tiers")
    await ChangeFlow.verifiedOf(here.api, id)
    const asked = provider.asked().slice(before)
    expect(asked.map(({ model }) => model)).toEqual(["large", "small", "small", "small"])
    expect(asked[2]?.last).toContain("exit 0")
    expect(asked[2]?.last).toContain("good")
    for (const { headers, text } of asked) {
      expect(headers["authorization"]).toBe(`Bearer ${ChangeFlow.modelKey}`)
      expect(text).not.toContain(ChangeFlow.modelKey)
    }
  })

  it("go on after workerd was killed in the middle of a call, and ask for nothing twice that was answered", async () => {
    const held = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    const team = script(one)
    let holds = true
    provider.follow(async (asked) => {
      if (holds && asked.results === 1) {
        holds = false
        reached.resolve()
        await held.promise
      }
      return team(asked)
    })
    const before = provider.asked().length
    const project = await Flow.createProject(here.api, "killed")
    const { id } = await ChangeFlow.openGoal(here.api, project.id, "killed in a call")
    await reached.promise
    await here.killAndRestart()
    held.resolve()
    await ChangeFlow.verifiedOf(here.api, id)
    // The plan, three turns of the agent, and the one of them again that had no answer.
    expect(provider.asked().length - before).toBe(5)
    const states = (await ChangeFlow.callsOf(here.api, id)).map(({ state }) => state)
    expect(states.toSorted()).toEqual(["lost", "settled", "settled", "settled", "settled"])
  })

  it("let the agent of a claimed Task in at /mcp with the tools of that Task, and nobody when its run has ended", async () => {
    provider.follow(script(one))
    const { api } = here
    const project = await Flow.createProject(api, "outside")
    await Flow.liveApp(api, project.id, 0)
    await api.put(`/v1/projects/${project.id}/policy`, { outsideAgents: "only" })
    const { id } = await ChangeFlow.openGoal(api, project.id, "by an agent outside")
    await ChangeFlow.changeWhen(api, id, ({ status }) => status === "running")
    const { run, token } = await api.post<Claimed>(`/v1/tasks/tsk_${id}_note/claim`)
    const origin = here.origin.replace("localhost", "127.0.0.1")
    const { call, client } = await assistantAt(origin, { token })
    const { tools } = await client.listTools()
    expect(namesOf(tools)).toEqual(namesOf(taskTools({ ...run, runId: run.id })))
    expect(await call("task_read")).toMatchObject({ isError: false, text: expect.stringContaining("The note") })
    const me = () => fetch(`${origin}/v1/me`, { headers: { authorization: `Bearer ${token}` } })
    const refused = await me()
    expect([refused.status, await refused.json()]).toEqual([
      403,
      expect.objectContaining({ code: "beyond_task", runId: run.id, projectId: project.id })
    ])
    expect((await call("task_give_up", { reason: "enough" })).isError).toBe(false)
    await client.close()
    expect((await me()).status).toBe(401)
  })

  it("wait, and say so, when the provider refuses the key", async () => {
    const team = script(one)
    provider.follow((asked) => (asked.tools.includes("propose_plan") ? team(asked) : { _tag: "Responds", status: 401 }))
    const project = await Flow.createProject(here.api, "refused")
    const { id } = await ChangeFlow.openGoal(here.api, project.id, "with a key that does not do")
    const [task] = await Flow.until(
      () => ChangeFlow.tasksOf(here.api, id),
      (all) => all.length === 1 && all[0]?.status === "blocked"
    )
    expect(task?.reason).toMatch(/key does not do/)
  })
})

describe("An agent in workerd where nothing runs a container", () => {
  let provider: Provider.ScriptedProvider
  let here: Installed
  beforeAll(async () => {
    provider = await Provider.open(script(one))
    here = await begin(provider, { checks: null })
  })
  afterAll(async () => {
    await here.close()
    await provider.close()
  })

  it("is told so when it asks for a command, and ends its work all the same", async () => {
    const project = await Flow.createProject(here.api, "no-container", unchecked)
    const { id } = await ChangeFlow.openGoal(here.api, project.id, "without a container")
    await ChangeFlow.verifiedOf(here.api, id)
    expect(provider.asked().map(({ last }) => last)[2]).toContain("there is no container on this installation")
    expect(await ChangeFlow.tasksOf(here.api, id)).toMatchObject([{ status: "completed", attempt: 1 }])
  })

  it("has its Candidate reviewed once, which its Project asks for by itself, and nobody again", async () => {
    const opinion = { verdict: "doubtful", text: "src/extra.js is named by nobody." }
    const team = script({ ...one, agents: { "The note": [write("src/extra.js", "export default 1\n"), done] } })
    provider.follow((asked) => (asked.tools.includes("review") ? calls("review", opinion) : team(asked)))
    const project = await Flow.createProject(here.api, "reviewed", unchecked)
    const { id } = await ChangeFlow.openGoal(here.api, project.id, "a source that is worth a look")
    await ChangeFlow.verifiedOf(here.api, id)
    await here.killAndRestart(6 * minuteMs)
    // The alarm of its own clock comes when it would without a kill: something else has it look.
    await Flow.openChange(here.api, project.id, "has it look")
    const reviews = async () =>
      (await here.api.get<{ items: ReadonlyArray<object> }>(`/v1/changes/${id}/reviews`)).items
    expect(await Flow.until(reviews, ({ length }) => length > 0)).toMatchObject([opinion])
    const rows = (of: string | null, sql: string) => here.simulated().rows(of, sql)
    await rows(
      project.id,
      `CREATE TABLE sent (kind TEXT); CREATE TRIGGER sending AFTER INSERT ON pawl_command BEGIN INSERT INTO sent VALUES (NEW.kind); END`
    )
    for (const minutes of [12, 18]) {
      await here.killAndRestart(minutes * minuteMs)
      await here.simulated().tick()
      await Flow.until(
        () => rows(null, "SELECT 1 FROM pawl_command"),
        ({ length }) => length === 0
      )
    }
    expect(await rows(project.id, "SELECT kind FROM sent WHERE kind = 'candidate.review'")).toEqual([])
  })
})
