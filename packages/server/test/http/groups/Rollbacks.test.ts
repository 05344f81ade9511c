/** Rollbacks, audits and the reasons of a Candidate, over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Limits } from "@pawl/core/primitives/Limits"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newCandidate, newProject, startApi } from "../TestApi.ts"

describe("Going back and looking back", () => {
  let api: Api
  let projectId: string
  const post = (path: string, body?: unknown) => api.call("POST", path, body === undefined ? {} : { body })
  const rollback = (body: unknown) => post(`/v1/projects/${projectId}/rollback`, body)

  beforeAll(async () => {
    api = await startApi()
    projectId = (await newProject(api, "back")).id
    for (const name of ["one", "two"]) {
      const { candidateId } = await newCandidate(api, projectId, name, { "a.txt": name })
      await post(`/v1/candidates/${candidateId}/promote`)
      await api.settle()
    }
  })
  afterAll(() => api.close())

  it("refuses a rollback to nothing, to what is not older, on another head, and of another form", async () => {
    expectProblem(await rollback({ targetGeneration: 9, expectedGeneration: 2 }), 404, "unknown_generation")
    expectProblem(await rollback({ targetGeneration: 2, expectedGeneration: 2 }), 400, "invalid_field", {
      field: "targetGeneration"
    })
    expectProblem(await rollback({ targetGeneration: 0, expectedGeneration: 1 }), 409, "stale", {
      expectedGeneration: 1,
      canonicalGeneration: 2
    })
    for (const targetGeneration of [0, 1, 2, 9])
      expectProblem(await rollback({ targetGeneration, expectedGeneration: 1 }), 409, "stale")
    for (const targetGeneration of [-1, 0.5, "0", null])
      expectProblem(await rollback({ targetGeneration, expectedGeneration: 2 }), 400, "invalid_field", {
        field: "targetGeneration"
      })
    expectProblem(await rollback({ targetGeneration: 0 }), 400, "invalid_field", { field: "expectedGeneration" })
  })

  it("tells what a rollback would do before it is asked for, on the head of now, and refuses what it would refuse", async () => {
    const plan = (body: unknown) => post(`/v1/projects/${projectId}/rollback/plan`, body)
    const answer = await plan({ targetGeneration: 1, expectedGeneration: 2 })
    expect(answer).toMatchObject({
      status: 200,
      body: {
        plan: {
          head: { generation: 2 },
          target: { generation: 1 },
          changed: { files: [{ path: "a.txt", status: "modified", additions: 1, deletions: 1 }], filesTotal: 1 },
          undone: [{ generation: 2, change: { goal: "a goal", kind: "goal", riskTier: "low" } }],
          undoneTotal: 1,
          riskTier: "low",
          checks: [{ id: "tree-equals", title: "The tree is that of S1" }],
          approval: { owed: 0, signed: false, self: true },
          underWay: null
        }
      }
    })
    expect((await plan({ targetGeneration: 0 })).body.plan.undoneTotal).toBe(2)
    expectProblem(await plan({ targetGeneration: 9 }), 404, "unknown_generation")
    expectProblem(await plan({ targetGeneration: 2 }), 400, "invalid_field", { field: "targetGeneration" })
    expectProblem(await plan({ targetGeneration: 0, expectedGeneration: 1 }), 409, "stale", { canonicalGeneration: 2 })
    for (const targetGeneration of [-1, 0.5, "0", null])
      expectProblem(await plan({ targetGeneration }), 400, "invalid_field", { field: "targetGeneration" })
  })

  it("refuses a reason that is no line of its own, in words", async () => {
    for (const reason of ["", " ", "a\nb", "\u0007", "x".repeat(Limits.rollbackReasonLength + 1), null])
      expectProblem(await rollback({ targetGeneration: 1, expectedGeneration: 2, reason }), 400, "invalid_field", {
        field: "reason"
      })
    const { items } = (await api.call("GET", `/v1/projects/${projectId}/changes`)).body
    expect(items.filter(({ kind }: { kind: string }) => kind === "rollback")).toEqual([])
  })

  it("answers 202 with a Change and a Candidate, the same ones when asked again, that promote as any other", async () => {
    const reason = "the prices were wrong"
    const asked = await rollback({ targetGeneration: 1, expectedGeneration: 2, reason })
    expect(asked).toMatchObject({
      status: 202,
      body: {
        change: { kind: "rollback", rollbackTarget: 1, rollbackReason: reason },
        candidate: { status: "composing", base_generation: 2 }
      }
    })
    const again = await rollback({ targetGeneration: 1, expectedGeneration: 2, reason: "another" })
    expect(again).toMatchObject({ status: 202, body: { change: { id: asked.body.change.id, rollbackReason: reason } } })
    const history = (await api.call("GET", `/v1/changes/${asked.body.change.id}/history`)).body.items
    expect(history[0]).toMatchObject({ kind: "change", from: null, reason })
    await api.settle()
    const candidate = `/v1/candidates/${asked.body.candidate.id}`
    expect((await api.call("GET", `${candidate}/why`)).body).toMatchObject({
      canPromote: true,
      blocks: [],
      checks: [{ checkId: "tree-equals", verdict: "pass", output: null }]
    })
    expect((await post(`${candidate}/promote`)).body).toMatchObject({ generation: 3, outcome: "promoted" })
    await api.settle()
    const versions = await api.call("GET", `/v1/projects/${projectId}/versions`)
    expect(versions.body.items[0]).toMatchObject({ generation: 3, trigger: "rollback" })
    expectProblem(await rollback({ targetGeneration: 1, expectedGeneration: 2 }), 409, "stale")
  })

  it("audits when asked and keeps the report", async () => {
    const path = `/v1/projects/${projectId}/audit`
    expectProblem(await api.call("GET", path), 404, "unknown_audit")
    const audited = await post(path)
    expect(audited).toMatchObject({
      status: 200,
      body: { audit: { projectId, generations: 4, findings: [], moreFindings: 0 } }
    })
    expect((await api.call("GET", path)).body).toEqual(audited.body)
  })

  it("takes no ChangeSets, and ends when another promotion comes first: ask for the rollback anew", async () => {
    const asked = await rollback({ targetGeneration: 1, expectedGeneration: 3 })
    const change = `/v1/changes/${asked.body.change.id}`
    const edit = { message: "m", files: { "more.txt": "x" } }
    expectProblem(await post(`${change}/changesets`, edit), 409, "rollback_takes_no_changesets", {
      changeId: asked.body.change.id
    })
    await api.settle()
    const { candidateId } = await newCandidate(api, projectId, "three", { "a.txt": "three" })
    await post(`/v1/candidates/${candidateId}/promote`)
    await api.settle()
    const late = await post(`/v1/candidates/${asked.body.candidate.id}/promote`)
    expectProblem(late, 409, "stale", { baseGeneration: 3, canonicalGeneration: 4 })
    expect(late.body.detail).toMatch(/ask for the rollback anew\.$/)
    expect((await api.call("GET", change)).body.change).toMatchObject({
      status: "cancelled",
      reason: expect.stringMatching(/ask for the rollback anew$/)
    })
    expectProblem(await post(`${change}/candidates`), 409, "change_closed", { changeStatus: "cancelled" })
  })

  it("names every block of a Candidate with what its check said", async () => {
    const { candidateId } = await newCandidate(api, projectId, "bad", { "result.txt": "broken" })
    const why = await api.call("GET", `/v1/candidates/${candidateId}/why`)
    expect(why).toMatchObject({
      status: 200,
      body: {
        candidate: { status: "rejected", reason: "test: fail" },
        canPromote: false,
        blocks: [{ code: "candidate_not_verified" }, { code: "check_gap" }]
      }
    })
    expect(why.body.checks.find((check: { checkId: string }) => check.checkId === "test").output).toBe("all tests ran")
    expect(why.body.next).toMatch(/^Mend what fails \(test\)/)
  })
})
