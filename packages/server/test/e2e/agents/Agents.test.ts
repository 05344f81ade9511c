import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { calls, type Script, type Turn } from "@pawl/testing/provider/Script"
import * as Provider from "@pawl/testing/provider/ScriptedProvider"
import * as ChangeFlow from "../kit/ChangeFlow.ts"
import * as Flow from "../kit/Flow.ts"
import { done, environmentOf, script, type Team, write } from "../kit/ScriptedTeam.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"
import { goalToLive } from "./GoalToLive.ts"
import { ownAddress } from "../../../../adapters-local/test/OwnAddress.ts"

/** Each of two files alone is fine; both with a 1 are not. */
const together = {
  "a.txt": "0",
  "b.txt": "0",
  "pawl.json": JSON.stringify({
    checks: [
      { id: "test", command: 'test "$(cat a.txt)$(cat b.txt)" != 11 || { echo a.txt and b.txt are 1; exit 1; }' }
    ],
    probes: [{ path: "/", status: 200 }]
  })
}

const bug: Team = {
  tasks: [
    { key: "a", title: "The first file", writes: ["a.txt"] },
    { key: "b", title: "The second file", writes: ["b.txt"] }
  ],
  agents: {
    "The first file": [calls("edit", { path: "a.txt", old: "0", new: "1" }), done],
    "The second file": [calls("edit", { path: "b.txt", old: "0", new: "1" }), done],
    "Mend: test failed": [calls("edit", { path: "b.txt", old: "1", new: "2" }), done]
  }
}

/** Two that write one new file, each its own words. */
const clash: Team = {
  tasks: [
    { key: "a", title: "The first words" },
    { key: "b", title: "The second words" }
  ],
  agents: {
    "The first words": [write("public/words.txt", "first\n"), done],
    "The second words": [write("public/words.txt", "second\n"), done],
    // What stands there is right.
    "Mend: what was done does not merge": [done]
  }
}

const one: Team = {
  tasks: [{ key: "note", title: "The note" }],
  agents: { "The note": [write("public/note.txt", "noted\n"), done] }
}

describe("Goals on a running server, with a scripted model", () => {
  const folder = temporaryFolder()
  /** Where the provider is away for a while, and back. */
  const address = ownAddress()
  let provider: Provider.ScriptedProvider
  let server: ServerProcess

  beforeAll(async () => {
    provider = await Provider.open(script(one), address)
    server = await startServer({ data: folder.path, environment: environmentOf(provider) })
  })
  /** What servers that were stopped have logged. */
  let logged = ""
  const restart = async () => {
    expect(await server.stop()).toBe(0)
    logged += server.log()
    server = await startServer({ data: folder.path, environment: environmentOf(provider) })
  }
  afterAll(async () => {
    await server.stop()
    await provider.close()
    folder.remove()
  })

  it("go live: three Tasks of three agents, each call paid once", () => goalToLive(server.api, provider, "greetings"))

  it("are planned by the strongest model, and small Tasks worked by the fastest", async () => {
    provider.follow(script(one))
    const before = provider.asked().length
    const project = await Flow.createProject(server.api, "tiers")
    const { id } = await ChangeFlow.openGoal(server.api, project.id, "tiers")
    await ChangeFlow.verifiedOf(server.api, id)
    expect(
      provider
        .asked()
        .slice(before)
        .map(({ model }) => model)
    ).toEqual(["large", "small", "small"])
  })

  it("wait for people when they ask for it", async () => {
    const before = provider.asked().length
    const project = await Flow.createProject(server.api, "by-hand")
    const change = await Flow.openChange(server.api, project.id, "by-hand")
    await Flow.edit(server.api, change, { "public/note.txt": "by hand" })
    await Flow.gated(server.api, (await Flow.requestCandidate(server.api, change)).id)
    expect(provider.asked().length).toBe(before)
  })

  it("mend a bug that no Task could see alone, at the first repair", async () => {
    provider.follow(script(bug))
    const project = await Flow.createProject(server.api, "planted-bug", Flow.source("one", together))
    const { id } = await ChangeFlow.openGoal(server.api, project.id, "Set both files")
    const candidate = await ChangeFlow.verifiedOf(server.api, id)
    const tasks = await ChangeFlow.tasksOf(server.api, id)
    expect(tasks.map(({ key, status }) => `${key} ${status}`)).toEqual([
      "a completed",
      "b completed",
      "repair-1 completed"
    ])
    const all = await ChangeFlow.candidatesOf(server.api, id)
    expect(all.map(({ status }) => status).toSorted()).toEqual(["rejected", "verified"])
    expect(provider.asked().at(-1)!.text).toContain("a.txt and b.txt are 1")
    const { items: told } = await server.api.get<{ items: ReadonlyArray<{ type: string; data: { reason?: string } }> }>(
      `/v1/projects/${project.id}/events?limit=100`
    )
    expect(told.flatMap(({ data, type }) => (type === "verification.started" ? [data.reason] : []))).toEqual([
      "work_graph_completed",
      "repaired"
    ])
    expect(told.filter(({ type }) => type === "task.repair_planned").length).toBe(1)
    expect(await Flow.promote(server.api, candidate.id)).toMatchObject({ outcome: "promoted", generation: 1 })
  })

  it("mend what does not merge without an edit, when the agent finds right what stands there", async () => {
    provider.follow(script(clash))
    const project = await Flow.createProject(server.api, "clash")
    const { id } = await ChangeFlow.openGoal(server.api, project.id, "Say it in two words")
    const candidate = await ChangeFlow.verifiedOf(server.api, id)
    const all = await ChangeFlow.candidatesOf(server.api, id)
    expect(all.map(({ conflicts, status }) => [status, conflicts])).toEqual(
      expect.arrayContaining([
        ["rejected", ["public/words.txt"]],
        ["verified", []]
      ])
    )
    expect(await Flow.promote(server.api, candidate.id)).toMatchObject({ outcome: "promoted", generation: 1 })
    const app = await Flow.liveApp(server.api, project.id, 1)
    expect((await server.api.page(`${app.url}words.txt`)).text).toBe("first\n")
  })

  it("stop when the budget is spent, and go on where they stopped when it is raised", async () => {
    const costly: Script = async (asked) => {
      const turn = await script(one)(asked)
      // Of the first answer of the agent: what is left does for no further call.
      return turn._tag === "Says" && asked.results === 0 && !asked.tools.includes("propose_plan")
        ? { ...turn, usage: { input: 100, output: 45_000 } }
        : turn
    }
    provider.follow(costly)
    const before = provider.asked().length
    const project = await Flow.createProject(server.api, "budget")
    const { id } = await ChangeFlow.openGoal(server.api, project.id, "spend it", 0.09)
    const stopped = await ChangeFlow.changeWhen(server.api, id, ({ status }) => status === "budget_blocked")
    expect(stopped.reason).toMatch(/^budget_exhausted/)
    expect(stopped.reserved_usd).toBe(0)
    const asked = provider.asked().length
    expect(asked - before).toBe(2)
    await server.api.post(`/v1/changes/${id}/budget`, { budget_usd: 1 })
    await ChangeFlow.verifiedOf(server.api, id)
    // The plan and the first turn are not asked for again.
    expect(provider.asked().length - asked).toBe(1)
  })

  it("wait for a provider that is away, however it is, and go on when it is back: no try, no dead letter", async () => {
    const team = script(one)
    // Broken, too many calls, an answer that breaks off: each of them once, in a turn of its own.
    const faults: ReadonlyArray<Turn> = [
      { _tag: "Responds", status: 503 },
      { _tag: "Responds", status: 429, headers: { "retry-after": "1" } },
      { _tag: "Cuts" }
    ]
    const failed = new Set<number>()
    const faulty: Script = (asked) => {
      const turn = asked.tools.includes("propose_plan") ? 0 : 1 + asked.results
      const fault = failed.has(turn) ? undefined : faults[turn]
      failed.add(turn)
      return fault ?? team(asked)
    }
    provider.follow(faulty)
    const project = await Flow.createProject(server.api, "outage")
    // Nobody listens there.
    await provider.close()
    const { id } = await ChangeFlow.openGoal(server.api, project.id, "in an outage")
    const refused = (calls: ReadonlyArray<ChangeFlow.CallRow>) => calls.filter(({ state }) => state === "refused")
    await Flow.until(
      () => ChangeFlow.callsOf(server.api, id),
      (calls) => refused(calls).length >= 2
    )
    provider = await Provider.open(faulty, address)
    await ChangeFlow.verifiedOf(server.api, id)
    const letters = await server.api.get<{ items: ReadonlyArray<unknown> }>(`/v1/projects/${project.id}/dead-letters`)
    expect(letters.items).toEqual([])
    expect(await ChangeFlow.tasksOf(server.api, id)).toMatchObject([{ status: "completed", attempt: 1 }])
    const calls = await ChangeFlow.callsOf(server.api, id)
    expect(refused(calls).length).toBeGreaterThanOrEqual(3)
    expect(refused(calls).every((call) => call.cost_usd === 0)).toBe(true)
    const paid = calls.flatMap(({ state }) => (state === "refused" ? [] : [state]))
    expect(paid).toEqual(["lost", "settled", "settled", "lost", "settled"])
    expect((await ChangeFlow.changeOf(server.api, id)).reserved_usd).toBe(0)
  })

  it("ask a provider that refuses the key once for each Task, and say so: on the Tasks, on the Change, also after a restart", async () => {
    const { tasks } = one
    const team = script({ tasks: [...tasks, { key: "other", title: "The other" }], agents: {} })
    provider.follow((asked) => (asked.tools.includes("propose_plan") ? team(asked) : { _tag: "Responds", status: 401 }))
    const project = await Flow.createProject(server.api, "refused")
    const { id } = await ChangeFlow.openGoal(server.api, project.id, "with a key that does not do")
    const isBlocked = (all: ReadonlyArray<ChangeFlow.TaskRow>) =>
      all.length === 2 && all.every(({ status }) => status === "blocked")
    const blocked = await Flow.until(() => ChangeFlow.tasksOf(server.api, id), isBlocked)
    for (const { reason } of blocked) expect(reason).toMatch(/key does not do/)
    const standing = { status: "running", reason: expect.stringMatching(/key does not do/), reserved_usd: 0 }
    expect(await ChangeFlow.changeOf(server.api, id)).toMatchObject(standing)
    const ofThis = () => provider.asked().filter(({ callId }) => callId?.includes(id) === true)
    expect(ofThis().length).toBe(3)
    await restart()
    // What a server does by itself when it begins, it has done by the time that another goal is reached.
    provider.follow(script(one))
    const next = await Flow.createProject(server.api, "refused-next")
    await ChangeFlow.verifiedOf(server.api, (await ChangeFlow.openGoal(server.api, next.id, "with a good key")).id)
    expect(ofThis().length).toBe(3)
    expect(isBlocked(await ChangeFlow.tasksOf(server.api, id))).toBe(true)
    expect(await ChangeFlow.changeOf(server.api, id)).toMatchObject(standing)
    // A person says that it may be tried again.
    provider.follow(script({ tasks, agents: { ...one.agents, "The other": [write("public/other.txt", "o\n"), done] } }))
    await Promise.all(["note", "other"].map((key) => server.api.post(`/v1/tasks/tsk_${id}_${key}/retry`, {})))
    await ChangeFlow.verifiedOf(server.api, id)
    expect(await ChangeFlow.changeOf(server.api, id)).toMatchObject({ reason: null })
  })

  it("keep the provider's key out of answers, events, objects and the log", async () => {
    const { execFileSync } = await import("node:child_process")
    expect(logged + server.log()).not.toContain(ChangeFlow.modelKey)
    expect(provider.asked().every(({ text }) => !text.includes(ChangeFlow.modelKey))).toBe(true)
    expect(() => execFileSync("grep", ["-rqa", ChangeFlow.modelKey, folder.path])).toThrow()
  })
})
