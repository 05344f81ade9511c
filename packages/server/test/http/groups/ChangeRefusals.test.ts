/** Refusals about Changes, ChangeSets, Candidates and approvals, met over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, openChange } from "../ExpectProblem.ts"
import { type Api, newCandidate, newProject, startApi } from "../TestApi.ts"

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const post = (path: string, body?: unknown) => api.call("POST", path, body === undefined ? {} : { body })

describe("A Change", () => {
  it("is opened once for each clientRequestId, whatever the repeat says", async () => {
    const path = `/v1/projects/${(await newProject(api, "changes")).id}/changes`
    const first = await post(path, { clientRequestId: "r", goal: "one", budget_usd: 1, startPlanning: false })
    const second = await post(path, { clientRequestId: "r", goal: "two", budget_usd: 2 })
    expect([first.status, second.status]).toEqual([201, 200])
    expect(second.body.change).toEqual(first.body.change)
    expect(first.body.change).toMatchObject({
      status: "created",
      goal: "one",
      budget_usd: 1,
      createdBy: { type: "user" }
    })
  })

  it("is refused a budget that is none, and fields that say nothing", async () => {
    const path = `/v1/projects/${(await newProject(api, "budgets")).id}/changes`
    for (const budget_usd of [0, -1, 1000, 100.01, 1.001, "5", null, undefined])
      expectProblem(await post(path, { clientRequestId: "r", goal: "a", budget_usd }), 400, "invalid_budget", {
        field: "budget_usd"
      })
    const refused = [
      [{ clientRequestId: "r", goal: " ", budget_usd: 1 }, "goal"],
      [{ clientRequestId: "", goal: "a", budget_usd: 1 }, "clientRequestId"],
      [{ goal: "a", budget_usd: 1 }, "clientRequestId"]
    ] as const
    for (const [body, field] of refused) expectProblem(await post(path, body), 400, "invalid_field", { field })
  })

  it("can only raise its budget, and cannot be cancelled or worked on when it has ended", async () => {
    const project = await newProject(api, "ends")
    const path = `/v1/changes/${await openChange(api, project.id, "r1")}`
    expectProblem(await post(`${path}/budget`, { budget_usd: 0.5 }), 409, "budget_cannot_decrease", {
      current: 1,
      asked: 0.5
    })
    expectProblem(await post(`${path}/budget`, { budget_usd: 0 }), 400, "invalid_budget")
    expect((await post(`${path}/budget`, { budget_usd: 1 })).status).toBe(200)
    expect((await post(`${path}/budget`, { budget_usd: 2 })).body.change.budget_usd).toBe(2)
    expect((await post(`${path}/cancel`)).body.change.status).toBe("cancelled")
    const edit = { message: "m", files: { "a.txt": "a" } }
    expectProblem(await post(`${path}/changesets`, edit), 409, "change_closed", { changeStatus: "cancelled" })
    // It has no ChangeSet, but that is not what stands in the way.
    expectProblem(await post(`${path}/candidates`), 409, "change_closed", { changeStatus: "cancelled" })
    const { changeId, candidateId } = await newCandidate(api, project.id, "r2", { "a.txt": "a" })
    await post(`/v1/candidates/${candidateId}/promote`)
    await api.settle()
    expectProblem(await post(`/v1/changes/${changeId}/cancel`), 409, "not_cancellable", { changeStatus: "completed" })
  })

  it("has no Work Graph unless one was planned", async () => {
    const project = await newProject(api, "graphless")
    const path = `/v1/changes/${await openChange(api, project.id, "r1")}/work-graph`
    expectProblem(await api.call("GET", path), 404, "unknown_work_graph")
  })
})

describe("A ChangeSet", () => {
  it("is refused what it cannot record, by name", async () => {
    const project = await newProject(api, "edits")
    const path = `/v1/changes/${await openChange(api, project.id, "r1")}/changesets`
    expectProblem(await post(path, { message: "m", files: {} }), 400, "invalid_field", { field: "files" })
    expectProblem(await post(path, { message: "", files: { a: "b" } }), 400, "invalid_field", { field: "message" })
    expectProblem(await post(path, { message: "m", files: { "../a": "b" } }), 400, "invalid_path", { path: "../a" })
    expectProblem(await post(path, { message: "m", files: { "result.txt": "fine" } }), 400, "nothing_changed", {
      field: "files"
    })
    const based = { message: "m", files: { a: "b" } }
    expectProblem(await post(path, { ...based, baseGeneration: 7 }), 404, "unknown_generation")
    expectProblem(await post(path, { ...based, baseGeneration: -1 }), 400, "invalid_field", { field: "baseGeneration" })
    const made = await post(path, { message: "m", files: { "logo.png": { base64: "AAEC" }, "result.txt": null } })
    expect(made.status).toBe(201)
    expect(made.body.changeset.files).toMatchObject([
      { path: "logo.png", status: "added" },
      { path: "result.txt", status: "deleted" }
    ])
  })
})

describe("A Candidate", () => {
  it("is the same for the same composition, and at most three are new", async () => {
    const project = await newProject(api, "limits")
    const { changeId, candidateId } = await newCandidate(api, project.id, "r1", { "a.txt": "0" })
    const path = `/v1/changes/${changeId}`
    expect((await post(`${path}/candidates`, {})).body.candidate.id).toBe(candidateId)
    for (const round of [1, 2, 3]) {
      await post(`${path}/changesets`, { message: "m", files: { "a.txt": String(round) } })
      const answer = await post(`${path}/candidates`)
      if (round < 3) expect(answer.status).toBe(202)
      else expectProblem(answer, 409, "candidate_limit", { max: 3 })
    }
    const none = await post(`${path}/candidates`, { changeSetIds: [] })
    expectProblem(none, 400, "nothing_to_compose", { field: "changeSetIds" })
    expect(none.body.detail).toContain("the list names none")
    const unknown = await post(`${path}/candidates`, { changeSetIds: ["cs_none"] })
    expectProblem(unknown, 400, "unknown_changeset", { field: "changeSetIds" })
  })

  it("is rejected with the reason when its pawl.json is nested too deeply", async () => {
    const project = await newProject(api, "nested")
    const files = { "pawl.json": `{"checks":${"[".repeat(200_000)}${"]".repeat(200_000)}}` }
    const { candidateId } = await newCandidate(api, project.id, "r1", files)
    const { candidate } = (await api.call("GET", `/v1/candidates/${candidateId}`)).body
    expect(candidate).toMatchObject({ status: "rejected" })
    expect(candidate.reason).toContain("pawl.json: it is nested deeper than 64 levels")
    expect((await api.call("GET", `/v1/projects/${project.id}/dead-letters`)).body.items).toEqual([])
  })

  it("is one for three who ask at once", async () => {
    const project = await newProject(api, "three")
    const path = `/v1/changes/${await openChange(api, project.id, "r1")}`
    await post(`${path}/changesets`, { message: "m", files: { "a.txt": "a" } })
    const all = await Promise.all([1, 2, 3].map(() => post(`${path}/candidates`)))
    expect(all.map((answer) => answer.status)).toEqual([202, 202, 202])
    expect(new Set(all.map((answer) => answer.body.candidate.id)).size).toBe(1)
  })

  it("is blocked while it is verifying, with every block at once, and has no diff before it is composed", async () => {
    const project = await newProject(api, "blocked")
    const change = `/v1/changes/${await openChange(api, project.id, "r1")}`
    await post(`${change}/changesets`, { message: "m", files: { "a.txt": "a" } })
    const candidateId = (await post(`${change}/candidates`)).body.candidate.id
    const candidate = `/v1/candidates/${candidateId}`
    const answer = await post(`${candidate}/promote`)
    expectProblem(answer, 409, "blocked", { candidateId })
    expect(answer.body.blocks.map((block: { code: string }) => block.code)).toEqual([
      "candidate_not_verified",
      "check_gap",
      "composed_commit_missing"
    ])
    expectProblem(await api.call("GET", `${candidate}/diff`), 409, "not_composed")
    expectProblem(await api.call("GET", `${candidate}/preview`), 404, "unknown_preview")
    expectProblem(await post(`${change}/approve`, { candidateId, decision: "granted" }), 409, "not_required")
  })

  it("is stale when another was promoted first", async () => {
    const project = await newProject(api, "stale")
    const one = await newCandidate(api, project.id, "r1", { "a.txt": "1" })
    const other = await newCandidate(api, project.id, "r2", { "b.txt": "2" })
    expect((await post(`/v1/candidates/${one.candidateId}/promote`)).status).toBe(200)
    const late = await post(`/v1/candidates/${other.candidateId}/promote`)
    expectProblem(late, 409, "stale", { baseGeneration: 0, canonicalGeneration: 1 })
  })

  it("is promoted once by two who ask at once", async () => {
    const project = await newProject(api, "twice")
    const { candidateId } = await newCandidate(api, project.id, "r1", { "a.txt": "1" })
    const both = await Promise.all([1, 2].map(() => post(`/v1/candidates/${candidateId}/promote`)))
    expect(both.map((answer) => [answer.status, answer.body.generation])).toEqual([
      [200, 1],
      [200, 1]
    ])
    expect((await api.call("GET", `/v1/projects/${project.id}`)).body.canonical.generation).toBe(1)
  })
})

describe("A Policy", () => {
  it("takes no waiver of the build, and says so", async () => {
    const path = `/v1/projects/${(await newProject(api, "waivers")).id}/policy`
    const put = (id: string, until: string) =>
      api.call("PUT", path, { body: { waivedChecks: [{ id, reason: "it is broken", until }] } })
    const build = await put("build", "2099-01-01T00:00:00Z")
    expectProblem(build, 400, "invalid_field", { field: "waivedChecks" })
    expect(build.body.detail).toContain("build cannot be waived")
    expect((await api.call("GET", path)).body.policy).toMatchObject({ version: 1, waivedChecks: [] })
    expect((await put("test", "2099-01-01T00:00:00Z")).body.policy).toMatchObject({
      version: 2,
      waivedChecks: [{ id: "test", until: "2099-01-01T00:00:00.000Z" }]
    })
  })

  it("names packages by names that can be, and says which cannot", async () => {
    const path = `/v1/projects/${(await newProject(api, "packaged")).id}/policy`
    const put = (packages: unknown) => api.call("PUT", path, { body: { packages } })
    const refused: ReadonlyArray<readonly [unknown, string, string]> = [
      [{ deny: ["left pad"] }, "packages.deny", '"left pad" is no name of a package'],
      [{ allow: ["@scope/a/b"] }, "packages.allow", '"@scope/a/b" is no name'],
      [{ allow: ["@scope"] }, "packages.allow", '"@scope" is no name'],
      [{ deny: [""] }, "packages.deny", '"" is no name'],
      [{ deny: ["a".repeat(215)] }, "packages.deny", "is no name"],
      [{ deny: ["a", "b", "a"] }, "packages.deny", "a is named twice"],
      [{ deny: Array.from({ length: 201 }, (_, n) => `a${n}`) }, "packages.deny", "at most 200 item(s)"],
      [{ minAgeDays: 366 }, "packages.minAgeDays", "a number between 0 and 365"],
      [{ minAgeDays: 1.5 }, "packages.minAgeDays", "an integer"]
    ]
    for (const [packages, field, words] of refused) {
      const answer = await put(packages)
      expectProblem(answer, 400, "invalid_field", { field })
      expect(answer.body.detail).toContain(words)
    }
    expect((await api.call("GET", path)).body.policy).toMatchObject({ version: 1, packages: {} })
    const packages = { minAgeDays: 7, deny: ["@scope/*", "event-stream", "*-evil-*"], allow: ["*"] }
    expect((await put(packages)).body.policy).toMatchObject({ version: 2, packages })
    // As each other field: what is left out is as in a new Project.
    expect((await api.call("PUT", path, { body: {} })).body.policy).toMatchObject({ version: 3, packages: {} })
  })
})

describe("An approval", () => {
  const checks = [
    { id: "test", command: "node --test" },
    { id: "more", command: "true" }
  ]
  const risky = { "pawl.json": JSON.stringify({ checks, probes: [{ path: "/" }] }) }

  it("is decided once, by the caller, through its own Change", async () => {
    const project = await newProject(api, "approvals")
    const { changeId, candidateId } = await newCandidate(api, project.id, "r1", risky)
    const path = `/v1/changes/${changeId}/approve`
    expect((await post(`/v1/candidates/${candidateId}/promote`)).body.blocks).toMatchObject([
      { code: "approval_missing" }
    ])
    const other = `/v1/changes/${await openChange(api, project.id, "r2")}/approve`
    expectProblem(await post(other, { candidateId, decision: "granted" }), 404, "unknown_candidate")
    expectProblem(await post(path, { candidateId, decision: "maybe" }), 400, "invalid_field", { field: "decision" })
    const approver = (await api.call("GET", "/v1/me")).body.user.id
    const granted = await post(path, { candidateId, decision: "granted", approver: "usr_someone" })
    expect(granted).toMatchObject({ status: 200, body: { approval: { decision: "granted", approver } } })
    expect((await post(path, { candidateId, decision: "granted" })).body).toEqual(granted.body)
    const again = await post(path, { candidateId, decision: "rejected" })
    expectProblem(again, 409, "already_decided", { decision: "granted", approver })
    expect((await api.call("GET", `/v1/changes/${changeId}/approvals`)).body.items).toEqual([granted.body.approval])
    expect((await post(`/v1/candidates/${candidateId}/promote`)).status).toBe(200)
  })

  it("is not the author's to give when the Policy says so", async () => {
    const project = await newProject(api, "selfless")
    const put = await api.call("PUT", `/v1/projects/${project.id}/policy`, { body: { allowSelfApproval: false } })
    expect(put.body.policy).toMatchObject({ version: 2, allowSelfApproval: false, approvalRiskTiers: ["high"] })
    const { changeId, candidateId } = await newCandidate(api, project.id, "r1", risky)
    expectProblem(
      await post(`/v1/changes/${changeId}/approve`, { candidateId, decision: "granted" }),
      403,
      "self_approval"
    )
  })
})
