/** Policies, met over HTTP. */
import { demand } from "@pawl/core/ledger/Decision"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, newCandidate, newProject, startApi } from "../TestApi.ts"

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

describe("A Policy with fields that nobody knows", () => {
  it("is stored without them, and the answer names each: a slip is seen to be no rule", async () => {
    const { id } = await newProject(api, "slips")
    const put = (body: unknown) => api.call("PUT", `/v1/projects/${id}/policy`, { body })
    const waived = { id: "test", reason: "winter", until: "2027-03-01T00:00:00Z", whatever: 1 }
    const slipped = await put({
      aprovalsRequired: 2,
      packages: { minAgeDay: 7, deny: ["left"], ["x".repeat(500)]: 1 },
      waivedChecks: [waived]
    })
    expect(slipped.status).toBe(200)
    expect(slipped.body.ignored).toEqual(["aprovalsRequired", "packages.minAgeDay", `packages.${"x".repeat(200)}…`])
    expect(slipped.body.policy).toMatchObject({ approvalsRequired: 1, packages: { deny: ["left"] } })
    const stored = (await api.call("GET", `/v1/projects/${id}/policy`)).body
    expect(stored).toEqual({ policy: slipped.body.policy })
    expect(stored.policy.packages).toEqual({ deny: ["left"] })
    expect(stored.policy.waivedChecks).toEqual([{ id: "test", reason: "winter", until: "2027-03-01T00:00:00.000Z" }])
    const right = await put({ packages: { minAgeDays: 7 } })
    expect([right.body.policy.packages, right.body.ignored]).toEqual([{ minAgeDays: 7 }, undefined])
  })
})

it("has a lane that is on when somebody says so, within its bounds, and off again in a Policy that says nothing", async () => {
  const { id } = await newProject(api, "in-turn")
  const put = (body: unknown) => api.call("PUT", `/v1/projects/${id}/policy`, { body })
  const lane = { mode: "on", depth: 4, carryApprovals: "same-blobs", holdAfterRollback: false }
  const on = await put({ lane: { ...lane, width: 2 } })
  expect([on.body.policy.lane, on.body.ignored]).toEqual([lane, ["lane.width"]])
  for (const odd of [{ mode: "fast" }, { mode: "on", depth: 0 }, { mode: "on", depth: 21 }, { depth: 3 }])
    expect((await put({ lane: odd })).status).toBe(400)
  expect((await put({})).body.policy.lane).toEqual({ mode: "off" })
})

describe("What a Policy says of agents outside", () => {
  it("is true, false or only, in every answer; true where nobody said it, as in a Policy that says nothing", async () => {
    const { id } = await newProject(api, "outside-words")
    const path = `/v1/projects/${id}/policy`
    const put = async (outsideAgents?: unknown) => {
      const { body, status } = await api.call("PUT", path, {
        body: outsideAgents === undefined ? {} : { outsideAgents }
      })
      const now = (await api.call("GET", path)).body.policy
      return [status, body.policy.outsideAgents, now.outsideAgents]
    }
    expect((await api.call("GET", path)).body.policy.outsideAgents).toBe(true)
    expect(await put(false)).toEqual([200, false, false])
    expect(await put(true)).toEqual([200, true, true])
    expect(await put("only")).toEqual([200, "only", "only"])
    expect(await put("never")).toEqual([200, false, false])
    expect(await put("also")).toEqual([200, true, true])
    await put(false)
    expect(await put()).toEqual([200, true, true])
    const { items } = (await api.call("GET", `${path}/versions`)).body
    expect(items.map((each: { readonly outsideAgents: unknown }) => each.outsideAgents)).toEqual([
      true,
      false,
      true,
      false,
      "only",
      true,
      false,
      true
    ])
  })

  it("is refused in other words, by name", async () => {
    const { id } = await newProject(api, "outside-others")
    for (const outsideAgents of ["sometimes", 1, null]) {
      const { body } = await api.call("PUT", `/v1/projects/${id}/policy`, { body: { outsideAgents } })
      expect(body).toMatchObject({ status: 400, field: "outsideAgents" })
    }
  })

  it("is taken by a draft in the same words", async () => {
    const { id } = await newProject(api, "outside-tried")
    for (const [outsideAgents, status] of [
      [false, 200],
      ["only", 200],
      ["sometimes", 400]
    ] as const)
      expect((await api.call("POST", `/v1/projects/${id}/policy/backtest`, { body: { outsideAgents } })).status).toBe(
        status
      )
  })

  it("is read in its older words, which stay what is stored: statements hold their digest", async () => {
    const { id } = await newProject(api, "outside-stored")
    await api.call("PUT", `/v1/projects/${id}/policy`, { body: { outsideAgents: false } })
    expect((await api.run(demand("policy", id))).record.outsideAgents).toBe("never")
  })
})

it("leaves its versions behind, each as it was, who set it and when, the newest first", async () => {
  const { id } = await newProject(api, "versions")
  const path = `/v1/projects/${id}/policy`
  const first = (await api.call("GET", path)).body.policy
  const next = (await api.call("PUT", path, { body: { approvalsRequired: 2 } })).body.policy
  const last = (await api.call("PUT", path, { body: { approvalsRequired: 3 } })).body.policy
  expect((await api.call("GET", `${path}/versions`)).body).toEqual({ items: [last, next, first], nextCursor: null })
  const page = await api.call("GET", `${path}/versions?limit=2`)
  expect(page.body.items).toEqual([last, next])
  expect((await api.call("GET", `${path}/versions?limit=2&cursor=${page.body.nextCursor}`)).body.items).toEqual([first])
})

describe("A Policy that stands", () => {
  const standing = { approvalRiskTiers: ["low", "high"], requiredChecks: ["lint"] }

  it.each([
    ["no body", undefined],
    ["the whole answer of GET", { policy: standing }],
    ["the whole answer of GET with the version it is of", { expectedVersion: 2, policy: standing }],
    ["a list", []],
    ["null", null],
    ["a text", '"high"']
  ])("is not lost by %s: it is refused, and tried as no draft either", async (_, body) => {
    const { id } = await newProject(api, `slip-${Object.keys(body ?? {}).length}-${String(_).length}`)
    const path = `/v1/projects/${id}/policy`
    const before = await api.call("PUT", path, { body: standing })
    const sent = body === undefined ? {} : { body }
    expect((await api.call("PUT", path, sent)).body).toMatchObject({ status: 400, code: "invalid_field" })
    expect((await api.call("POST", `${path}/backtest`, sent)).status).toBe(400)
    expect((await api.call("GET", path)).body.policy).toEqual(before.body.policy)
    expect((await api.call("GET", `${path}/versions`)).body.items).toHaveLength(2)
  })

  it("is told how to be changed, and is as in a new Project by {}", async () => {
    const { id } = await newProject(api, "slip-words")
    const path = `/v1/projects/${id}/policy`
    const first = (await api.call("GET", path)).body.policy
    await api.call("PUT", path, { body: standing })
    for (const sent of [{}, { body: { policy: standing } }])
      expect((await api.call("PUT", path, sent)).body.detail).toContain("send the fields of the Policy themselves")
    const again = (await api.call("PUT", path, { body: {} })).body.policy
    expect(again).toMatchObject({ approvalRiskTiers: first.approvalRiskTiers, requiredChecks: [], version: 3 })
  })
})

describe("A Policy that two people change at once", () => {
  it("is refused to the one who did not see the other's, and taken when they did", async () => {
    const { id } = await newProject(api, "at-once")
    const put = (body: unknown) => api.call("PUT", `/v1/projects/${id}/policy`, { body })
    const first = await put({ expectedVersion: 1, approvalsRequired: 2 })
    expect([first.status, first.body.policy.version, first.body.ignored]).toEqual([200, 2, undefined])
    const second = await put({ expectedVersion: 1, allowSelfApproval: false })
    expect(second.body).toMatchObject({ status: 409, code: "stale", expectedVersion: 1, version: 2 })
    expect((await api.call("GET", `/v1/projects/${id}/policy`)).body.policy).toMatchObject({
      version: 2,
      approvalsRequired: 2,
      allowSelfApproval: true
    })
    expect((await put({ expectedVersion: 2, allowSelfApproval: false })).body.policy.version).toBe(3)
    expect((await put({ expectedVersion: "2" })).body).toMatchObject({ status: 400, field: "expectedVersion" })
  })

  it("is refused by its entity tag too: who has it is not told it again, and who saw another one changes nothing", async () => {
    const { id } = await newProject(api, "policy-tags")
    const path = `/v1/projects/${id}/policy`
    const put = (body: unknown, tag: string) => api.call("PUT", path, { body, headers: { "if-match": tag } })
    const tagNow = async () => (await api.call("GET", path)).headers.get("etag") ?? ""
    const first = await tagNow()
    expect(first).toMatch(/^"[0-9a-f]{32}"$/)
    expect((await api.call("GET", path, { headers: { "if-none-match": first } })).status).toBe(304)
    const changed = await put({ approvalsRequired: 2 }, `"another", ${first}`)
    expect([changed.status, changed.headers.get("etag")]).toEqual([200, await tagNow()])
    for (const old of [first, `W/${await tagNow()}`, '"none"']) {
      const refused = await put({ approvalsRequired: 3 }, old)
      expect(refused.body).toMatchObject({
        status: 412,
        code: "precondition_failed",
        tag: await tagNow()
      })
    }
    const other = await newProject(api, "policy-tags-too")
    expect((await api.call("GET", `/v1/projects/${other.id}/policy`)).headers.get("etag")).not.toBe(first)
    const seen = await tagNow()
    const answers = await Promise.all([3, 4].map((n) => put({ approvalsRequired: n }, seen)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412])
    expect((await put({}, "*")).status).toBe(200)
  })

  it("is stored once when both send the same version at the same moment", async () => {
    const { id } = await newProject(api, "same-moment")
    const answers = await Promise.all(
      [2, 3].map((approvalsRequired) =>
        api.call("PUT", `/v1/projects/${id}/policy`, { body: { expectedVersion: 1, approvalsRequired } })
      )
    )
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409])
  })
})

describe("A draft that is tried on the last Changes", () => {
  it("answers what it would have done to each and why, names what nobody knows, and changes nothing", async () => {
    const { id } = await newProject(api, "tried")
    const { changeId, candidateId } = await newCandidate(api, id, "r1", { "lib/a.js": "a" })
    const before = (await api.call("GET", `/v1/projects/${id}/policy/versions`)).body
    const answer = await api.call("POST", `/v1/projects/${id}/policy/backtest`, {
      body: { approvalRiskTiers: ["medium"], requiredChecks: ["lint"], aprovalsRequired: 2 }
    })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ policyVersion: 1, ignored: ["aprovalsRequired"] })
    expect(answer.body.items).toEqual([
      {
        changeId,
        goal: "a goal",
        status: "verifying",
        candidateId,
        generation: null,
        was: expect.objectContaining({ policyVersion: 1, approvals: { owed: 0, given: 0 }, checks: ["build", "test"] }),
        would: expect.objectContaining({
          policyVersion: 2,
          approvals: { owed: 1, given: 0 },
          checks: ["build", "test", "lint"],
          blocks: [{ code: "check_gap", detail: "lint: gap (no evidence)" }]
        }),
        differences: [
          expect.objectContaining({ code: "approvals" }),
          expect.objectContaining({ code: "checks" }),
          expect.objectContaining({ code: "blocked", reason: "lint: gap (no evidence)" })
        ],
        unsure: []
      }
    ])
    expect((await api.call("GET", `/v1/projects/${id}/policy/versions`)).body).toEqual(before)
  })

  it("is refused with the field where the Policy would be", async () => {
    const { id } = await newProject(api, "tried-badly")
    const path = `/v1/projects/${id}/policy/backtest`
    for (const [field, body] of [
      ["approvalsRequired", { approvalsRequired: 9 }],
      ["approvalRiskTiers", { approvalRiskTiers: ["grave"] }],
      ["waivedChecks", { waivedChecks: [{ id: "build", reason: "no", until: "2030-01-01T00:00:00Z" }] }]
    ] as const) {
      const answer = await api.call("POST", path, { body })
      expect([answer.status, String(answer.body.field).split(".")[0]?.split("[")[0]]).toEqual([400, field])
    }
  })
})
