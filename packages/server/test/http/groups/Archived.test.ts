/** What an archived Project answers to every endpoint that writes. The list is the contract's own. */
import { Commands } from "@pawl/core/work/Commands"
import { commandId, type CommandKind } from "@pawl/core/model/Command"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { endpoints } from "@pawl/server/http/index"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, newCandidate, newProject, startApi } from "../TestApi.ts"

interface Ids {
  readonly project: string
  readonly change: string
  readonly task: string
  readonly run: string
  readonly candidate: string
  readonly deadLetter: string
  readonly webhook: string
  readonly delivery: string
  readonly laneEntry: string
}

interface Sample {
  readonly id: keyof Ids
  readonly body?: (ids: Ids) => unknown
  /** Default: refused. */
  readonly answers?: number
}

/** One request for each endpoint that writes on a Project. An endpoint that is missing here fails the suite. */
const samples: Readonly<Record<string, Sample>> = {
  "projects.source": { id: "project", body: () => ({ template: "blank" }) },
  "apps.deploy": { id: "project" },
  "changes.create": { id: "project", body: () => ({ clientRequestId: "new", goal: "a goal", budget_usd: 1 }) },
  "changes.budget": { id: "change", body: () => ({ budget_usd: 2 }) },
  "tasks.writeNote": { id: "task", body: () => ({ text: "use tabs" }) },
  "tasks.stop": { id: "task" },
  "tasks.retry": { id: "task" },
  "tasks.handOver": { id: "task" },
  "outside.claim": { id: "task" },
  "outside.renew": { id: "run" },
  "outside.askChecks": { id: "run" },
  "outside.claimPaths": { id: "run", body: () => ({ paths: [] }) },
  "outside.publish": { id: "run", body: () => ({ message: "done" }) },
  "outside.giveUp": { id: "run", body: () => ({ reason: "over" }) },
  "changesets.create": { id: "change", body: () => ({ message: "mine", files: { "b.txt": "b" } }) },
  "candidates.create": { id: "change" },
  "candidates.promote": { id: "candidate" },
  "approvals.approve": { id: "change", body: (ids) => ({ candidateId: ids.candidate, decision: "granted" }) },
  "releases.injectFailure": { id: "project" },
  "releases.putTarget": {
    id: "project",
    body: () => ({ workerName: "shop", workerTag: "tag", url: "https://shop.test" })
  },
  "rollbacks.plan": { id: "project", body: () => ({ targetGeneration: 0 }) },
  "rollbacks.create": { id: "project", body: () => ({ targetGeneration: 0, expectedGeneration: 1 }) },
  "audits.run": { id: "project" },
  "audits.rebuild": { id: "project", body: () => ({ generation: 0 }) },
  "policies.backtest": { id: "project", body: () => ({}) },
  "policies.put": { id: "project", body: () => ({ approvalRiskTiers: [] }) },
  "webhooks.create": { id: "project", body: () => ({ url: "https://receiver.example/hook" }) },
  "lane.land": { id: "change", body: () => ({}) },
  "lane.pause": { id: "project", body: () => ({ reason: "a holiday" }) },
  "lane.resume": { id: "project" },
  "lane.move": { id: "laneEntry", body: () => ({}) },
  "deadLetters.retry": { id: "deadLetter" },
  // What ends or takes away something, and who may read what is left, is no work.
  "projects.archive": { id: "project", answers: 202 },
  "apps.remove": { id: "project", answers: 202 },
  "lane.leave": { id: "change", answers: 200 },
  "changes.cancel": { id: "change", answers: 200 },
  "releases.deleteTarget": { id: "project", answers: 200 },
  "members.put": { id: "project", body: () => ({ members: [] }), answers: 200 },
  "webhooks.change": { id: "webhook", body: () => ({ paused: true }) },
  "webhooks.rotateSecret": { id: "webhook", answers: 200 },
  // Webhooks tell of the end, too.
  "webhooks.ping": { id: "webhook", answers: 202 },
  "webhooks.redeliver": { id: "delivery", answers: 202 },
  "webhooks.remove": { id: "webhook", answers: 200 },
  "deadLetters.dismiss": { id: "deadLetter", answers: 200 }
}

const writing = endpoints.filter(({ method, need }) => method !== "GET" && need !== null && need.role !== null)

/** A command of the Project that failed for good. */
const deadLetter = (projectId: string, kind: CommandKind) =>
  Effect.gen(function* () {
    const id = commandId(kind, `${projectId}/dead`)
    const commands = [{ kind, id, payload: { projectId }, maxAttempts: 1 }]
    yield* (yield* Ledger).commit({ name: "test", projectId, commands })
    const queue = yield* Commands
    const leased = yield* queue.claim({ worker: "test", kinds: [kind], limit: 1, leaseMs: 1000 })
    yield* Effect.forEach(leased, ({ lease }) => queue.fail(lease, "it broke", 0))
    return id
  })

describe("An archived Project", () => {
  let api: Api
  let ids: Ids
  const ask = (name: string) => {
    const endpoint = endpoints.find((each) => each.name === name)
    const { body, id } = samples[name]!
    const path = endpoint!.path.replace(":id", encodeURIComponent(ids[id]))
    return api.call(endpoint!.method, path, body === undefined ? {} : { body: body(ids) })
  }
  beforeAll(async () => {
    api = await startApi({ settings: { fixturesEnabled: true } })
    const project = await newProject(api, "over")
    const path = `/v1/projects/${project.id}`
    await api.call("PUT", `${path}/policy`, {
      body: { approvalRiskTiers: ["low", "medium", "high", "unknown"], lane: { mode: "on" } }
    })
    const { candidateId, changeId } = await newCandidate(api, project.id, "r1", { "a.txt": "a" })
    const landing = await api.call("POST", `/v1/changes/${changeId}/land`, { body: {} })
    const hook = await api.call("POST", `${path}/webhooks`, { body: { url: "https://receiver.example/kept" } })
    const ping = await api.call("POST", `/v1/webhooks/${hook.body.webhook.id}/ping`)
    await api.call("PUT", `${path}/release-target`, { body: samples["releases.putTarget"]!.body!(ids) })
    const letter = await api.run(deadLetter(project.id, "canonical.sweep"))
    ids = {
      project: project.id,
      change: changeId,
      task: `tsk_${changeId}_edit-1`,
      run: `run_tsk_${changeId}_edit-1_1`,
      candidate: candidateId,
      deadLetter: letter,
      webhook: hook.body.webhook.id,
      delivery: ping.body.delivery.id,
      laneEntry: landing.body.entry.id
    }
    await api.call("DELETE", path)
  })
  afterAll(() => api.close())

  it("is asked for every write of the contract", () => {
    expect(Object.keys(samples).sort()).toEqual(writing.map(({ name }) => name).sort())
  })

  const refused = Object.keys(samples).filter((name) => samples[name]?.answers === undefined)
  const kept = Object.keys(samples).filter((name) => samples[name]?.answers !== undefined)

  // Before the cleanup has run, when everything that was open is open yet.
  it.each(refused)("takes no more work: %s", async (name) => {
    expect(await ask(name)).toMatchObject({ status: 409, body: { code: "project_archived", projectId: ids.project } })
  })

  it("is changed by none of that", async () => {
    expect((await api.run(demand("policy", ids.project))).record.version).toBe(2)
    expect((await api.call("GET", `/v1/projects/${ids.project}/webhooks`)).body.items).toHaveLength(1)
    expect((await api.call("GET", `/v1/changes/${ids.change}`)).body.change).toMatchObject({ budget_usd: 1 })
    expect((await api.call("GET", `/v1/changes/${ids.change}/approvals`)).body.items).toEqual([])
  })

  it("still has a letter of its own cleaning tried again", async () => {
    const id = encodeURIComponent(await api.run(deadLetter(ids.project, "app.remove")))
    expect((await api.call("POST", `/v1/dead-letters/${id}/retry`)).status).toBe(200)
  })

  it.each(kept)("still answers %s", async (name) => {
    expect((await ask(name)).status).toBe(samples[name]?.answers)
  })
})
