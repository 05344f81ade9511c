/** Who may approve what, and how many must, met over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Limits } from "@pawl/core/primitives/Limits"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newProject, newUser, startApi } from "../TestApi.ts"

let api: Api
let organizationId: string
beforeAll(async () => {
  api = await startApi()
  organizationId = (await api.call("GET", "/v1/organizations")).body.items[0].id
})
afterAll(() => api.close())

const tiers = ["low", "medium", "high", "unknown"]
const as = (token: string | undefined) => (token === undefined ? {} : { token })
const post = (path: string, body: unknown, token?: string) => api.call("POST", path, { body, ...as(token) })

const policy = (projectId: string, body: unknown) => api.call("PUT", `/v1/projects/${projectId}/policy`, { body })

/** A verified Candidate whose Change one person opened and whose ChangeSet another wrote. */
const written = async (projectId: string, opener: string | undefined, writer: string | undefined) => {
  const fields = { clientRequestId: crypto.randomUUID(), goal: "a goal", budget_usd: 1 }
  const changeId = (await post(`/v1/projects/${projectId}/changes`, fields, opener)).body.change.id as string
  await post(`/v1/changes/${changeId}/changesets`, { message: "edit", files: { "src/a.js": changeId } }, writer)
  const candidateId = (await post(`/v1/changes/${changeId}/candidates`, {}, opener)).body.candidate.id as string
  await api.settle()
  const decide = (decision: string, token?: string) =>
    post(`/v1/changes/${changeId}/approve`, { candidateId, decision }, token)
  const promote = () => post(`/v1/candidates/${candidateId}/promote`, {})
  const approvals = async () => (await api.call("GET", `/v1/changes/${changeId}/approvals`)).body.items
  return { changeId, candidateId, decide, promote, approvals }
}

describe("What is said beside a decision", () => {
  it("is kept with it, told in events, why and the history, and the first one stays", async () => {
    const project = await newProject(api, "said")
    await policy(project.id, { approvalRiskTiers: tiers, approvalsRequired: 2 })
    const made = await written(project.id, undefined, undefined)
    const path = `/v1/changes/${made.changeId}/approve`
    const say = (decision: string, note: unknown, token?: string) =>
      post(path, { candidateId: made.candidateId, decision, note }, token)
    const granted = await say("granted", "looks right to me")
    expect(granted.body.approval).toMatchObject({ decision: "granted", note: "looks right to me" })
    expect((await say("granted", "once more")).body).toEqual(granted.body)
    const ann = await newUser(api, "Ann", organizationId)
    expect((await say("rejected", "the price is wrong", ann.token)).status).toBe(200)
    expect((await made.approvals()).map(({ note }: { note: string }) => note)).toEqual([
      "looks right to me",
      "the price is wrong"
    ])
    const events = (await api.call("GET", `/v1/projects/${project.id}/events?after=0&limit=100`)).body.items
    const told = events.filter(({ type }: { type: string }) => /^approval\.(granted|rejected)$/.test(type))
    expect(told.map(({ data }: { data: { note: string } }) => data.note)).toEqual([
      "looks right to me",
      "the price is wrong"
    ])
    const why = (await api.call("GET", `/v1/candidates/${made.candidateId}/why`)).body
    expect(why.approval.decisions.map(({ note }: { note: string }) => note)).toContain("the price is wrong")
    const history = (await api.call("GET", `/v1/changes/${made.changeId}/history`)).body.items
    expect(history).toContainEqual(
      expect.objectContaining({
        kind: "candidate",
        to: "rejected",
        reason: `rejected by ${ann.id}: the price is wrong`
      })
    )
  })

  it("is a line of its own: nothing, control characters and too much are refused in words, and nothing is decided", async () => {
    const project = await newProject(api, "said-badly")
    await policy(project.id, { approvalRiskTiers: tiers })
    const made = await written(project.id, undefined, undefined)
    for (const note of [
      "",
      "  ",
      "two\nlines",
      "\u001b[31mred",
      "\ud800",
      "x".repeat(Limits.approvalNoteLength + 1),
      7
    ])
      expectProblem(
        await post(`/v1/changes/${made.changeId}/approve`, {
          candidateId: made.candidateId,
          decision: "granted",
          note
        }),
        400,
        "invalid_field",
        { field: "note" }
      )
    expect(await made.approvals()).toEqual([])
    const longest = "x".repeat(Limits.approvalNoteLength)
    const path = `/v1/changes/${made.changeId}/approve`
    const answer = await post(path, { candidateId: made.candidateId, decision: "granted", note: longest })
    expect(answer.body.approval.note).toBe(longest)
  })
})

describe("Two pairs of eyes", () => {
  it("are two: neither who opened a Change nor who wrote its ChangeSet approves it", async () => {
    const project = await newProject(api, "two-eyes")
    await policy(project.id, { approvalRiskTiers: tiers, allowSelfApproval: false })
    const [ann, ben] = [await newUser(api, "Ann", organizationId), await newUser(api, "Ben", organizationId)]
    const made = await written(project.id, undefined, ann.token)
    expectProblem(await made.decide("granted"), 403, "self_approval")
    expectProblem(await made.decide("granted", ann.token), 403, "self_approval")
    expectProblem(await made.promote(), 409, "blocked")
    expect(await made.approvals()).toEqual([])
    expect((await made.decide("granted", ben.token)).status).toBe(200)
    expect((await made.promote()).status).toBe(200)
  })

  it("are as many as the Policy asks for, each another person, and the generation names them all", async () => {
    const project = await newProject(api, "three-eyes")
    await policy(project.id, { approvalRiskTiers: tiers, approvalsRequired: 2 })
    const [ann, ben] = [await newUser(api, "Ann", organizationId), await newUser(api, "Ben", organizationId)]
    const made = await written(project.id, undefined, undefined)
    expect((await made.promote()).body.blocks[0].detail).toMatch(/^2 of 2 granted approvals/)
    const first = await made.decide("granted", ann.token)
    expect((await made.decide("granted", ann.token)).body).toEqual(first.body)
    expectProblem(await made.decide("rejected", ann.token), 409, "already_decided", { approver: ann.id })
    const owing = (await made.promote()).body.blocks
    expect(owing).toEqual([{ code: "approval_missing", detail: expect.stringMatching(/^1 of 2 granted approvals/) }])
    const why = (await api.call("GET", `/v1/candidates/${made.candidateId}/why`)).body
    expect(why.approval).toMatchObject({ owed: true, decision: null, required: 2, missing: 1 })
    expect(why.next).toMatch(/^One more person must decide on it/)
    const second = await made.decide("granted", ben.token)
    // Enough: whoever says the same is shown what was decided, and nobody says otherwise any more.
    expect((await made.decide("granted")).body).toEqual(second.body)
    expectProblem(await made.decide("rejected"), 409, "already_decided", { approver: ben.id })
    const ids = [first.body.approval.id, second.body.approval.id]
    expect((await made.approvals()).map(({ id }: { id: string }) => id)).toEqual(ids)
    expect((await made.promote()).status).toBe(200)
    const versions = (await api.call("GET", `/v1/projects/${project.id}/versions`)).body.items
    const promoted = versions.find((each: { generation: number }) => each.generation === 1)
    expect(promoted).toMatchObject({ approvalId: ids[1], approvalIds: ids })
    const audit = await post(`/v1/projects/${project.id}/audit`, {})
    expect(audit.body.audit ?? audit.body).toMatchObject({ findings: [] })
  })

  it("see one rejection as the end of it, before or after a grant", async () => {
    const project = await newProject(api, "one-no")
    await policy(project.id, { approvalRiskTiers: tiers, approvalsRequired: 2 })
    const [ann, ben] = [await newUser(api, "Ann", organizationId), await newUser(api, "Ben", organizationId)]
    const made = await written(project.id, undefined, undefined)
    await made.decide("granted", ann.token)
    expect((await made.decide("rejected", ben.token)).status).toBe(200)
    expectProblem(await made.decide("granted"), 409, "already_decided", { approver: ben.id, decision: "rejected" })
    expectProblem(await made.decide("granted", ann.token), 409, "already_decided", { approver: ben.id })
    expect((await api.call("GET", `/v1/candidates/${made.candidateId}`)).body.candidate.status).toBe("rejected")
    expect((await made.promote()).body.blocks).toContainEqual(expect.objectContaining({ code: "approval_rejected" }))
  })

  it("do not count once they have left", async () => {
    const project = await newProject(api, "leavers")
    await policy(project.id, { approvalRiskTiers: tiers })
    const ann = await newUser(api, "Ann")
    const members = (list: ReadonlyArray<unknown>) =>
      api.call("PUT", `/v1/projects/${project.id}/members`, { body: { members: list } })
    await members([{ userId: ann.id, role: "member" }])
    const made = await written(project.id, undefined, undefined)
    await made.decide("granted", ann.token)
    await members([{ userId: ann.id, role: "viewer" }])
    expect((await made.promote()).body.blocks).toMatchObject([{ code: "approval_missing" }])
    await members([])
    expect((await made.promote()).body.blocks).toMatchObject([{ code: "approval_missing" }])
    const why = (await api.call("GET", `/v1/candidates/${made.candidateId}/why`)).body.approval
    expect(why).toMatchObject({ decision: null, missing: 1, decisions: [{ approver: ann.id, counts: false }] })
    // Another person's decision is added to theirs, and is what the generation stands on.
    const own = await made.decide("granted")
    expect((await made.approvals()).length).toBe(2)
    expect((await made.promote()).status).toBe(200)
    const versions = (await api.call("GET", `/v1/projects/${project.id}/versions`)).body.items
    expect(versions.find((each: { generation: number }) => each.generation === 1).approvalIds).toEqual([
      own.body.approval.id
    ])
  })

  it("are owed by a rollback of what owed them, too", async () => {
    const project = await newProject(api, "back-eyes")
    await policy(project.id, { approvalRiskTiers: tiers, approvalsRequired: 2 })
    const [ann, ben] = [await newUser(api, "Ann", organizationId), await newUser(api, "Ben", organizationId)]
    const made = await written(project.id, undefined, undefined)
    await made.decide("granted", ann.token)
    await made.decide("granted", ben.token)
    expect((await made.promote()).status).toBe(200)
    await api.settle()
    const asked = await post(`/v1/projects/${project.id}/rollback`, { targetGeneration: 0, expectedGeneration: 1 })
    await api.settle()
    const { change, candidate } = asked.body
    const decide = (token: string) =>
      post(`/v1/changes/${change.id}/approve`, { candidateId: candidate.id, decision: "granted" }, token)
    expect((await decide(ann.token)).status).toBe(200)
    expect((await post(`/v1/candidates/${candidate.id}/promote`, {})).body.blocks).toMatchObject([
      { code: "approval_missing" }
    ])
    expect((await decide(ben.token)).status).toBe(200)
    expect((await post(`/v1/candidates/${candidate.id}/promote`, {})).status).toBe(200)
  })
})

describe("A Policy", () => {
  it("is refused with lists without end, with repeats, and with a number of approvals that nobody can give", async () => {
    const project = await newProject(api, "bounded-policy")
    const refused = async (field: string, value: unknown) =>
      expectProblem(await policy(project.id, { [field]: value }), 400, "invalid_field", {
        field: expect.stringContaining(field)
      })
    const check = (n: number) => `check-${n}`
    const many = Array.from({ length: 100_000 }, () => "low")
    const until = "2099-01-01T00:00:00Z"
    for (const field of ["autoPromoteRiskTiers", "approvalRiskTiers"]) {
      await refused(field, many)
      await refused(field, ["low", "low"])
    }
    await refused(
      "requiredChecks",
      Array.from({ length: 33 }, (_, n) => check(n))
    )
    await refused("requiredChecks", ["test", "test"])
    await refused(
      "waivedChecks",
      Array.from({ length: 33 }, (_, n) => ({ id: check(n), reason: "r", until }))
    )
    await refused(
      "waivedChecks",
      [1, 2].map(() => ({ id: "test", reason: "r", until }))
    )
    for (const value of [0, 6, 1.5, "2"]) await refused("approvalsRequired", value)
    const words: ReadonlyArray<readonly [unknown, string]> = [
      [{ approvalsRequired: 6 }, "approvalsRequired: Expected a number between 1 and 5, actual 6."],
      [{ requiredChecks: many }, "requiredChecks: Expected an array of at most 32 item(s), actual "],
      [
        { waivedChecks: [{ id: "test", reason: "", until }] },
        'waivedChecks.0.reason: Expected a string at least 1 character(s) long, actual "".'
      ]
    ]
    for (const [body, detail] of words)
      expect((await policy(project.id, body)).body.detail.startsWith(detail)).toBe(true)
    expect((await api.call("GET", `/v1/projects/${project.id}/policy`)).body.policy).toMatchObject({
      version: 1,
      approvalsRequired: 1,
      baseChecksMustPass: false
    })
  })
})
