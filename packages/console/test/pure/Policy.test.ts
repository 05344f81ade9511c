import { describe, expect, it } from "vitest"
import { changedFields, fromField, namesIn, onTopOf, type PolicyFields, toField } from "../../src/policy/PolicyDraft.ts"

const base: PolicyFields = {
  autoPromoteRiskTiers: [],
  approvalRiskTiers: ["high"],
  requiredChecks: [],
  allowSelfApproval: true,
  approvalsRequired: 1,
  waivedChecks: [],
  baseChecksMustPass: false,
  packages: { minAgeDays: 7, deny: ["left"] }
}

describe("What two people changed at once", () => {
  it("goes together where they changed other fields", () => {
    const mine = { ...base, approvalsRequired: 2 }
    const theirs = { ...base, requiredChecks: ["test"], lane: { mode: "on" } as const }
    expect(onTopOf(base, mine, theirs)).toEqual({ fields: { ...theirs, approvalsRequired: 2 }, both: [] })
  })

  it("names each field that both changed otherwise, and mine is on top", () => {
    const mine = { ...base, approvalsRequired: 2, allowSelfApproval: false }
    const theirs = { ...base, approvalsRequired: 3, allowSelfApproval: false }
    expect(onTopOf(base, mine, theirs)).toEqual({ fields: mine, both: ["approvalsRequired"] })
  })

  it("loses a field that I took away", () => {
    const on = { ...base, lane: { mode: "on" } as const }
    expect(onTopOf(on, base, { ...on, approvalsRequired: 2 }).fields).toEqual({ ...base, approvalsRequired: 2 })
  })
})

it("sees no change in another order of keys", () => {
  expect(changedFields(base, { ...base, packages: { deny: ["left"], minAgeDays: 7 } })).toEqual([])
  expect(changedFields(base, { ...base, packages: { deny: ["left"] } })).toEqual(["packages"])
})

it("reads names one a line or between commas, each once", () => {
  expect(namesIn(" test\nlint, test\n\n")).toEqual(["test", "lint"])
})

it("takes moments to fields of the browser and back, in UTC", () => {
  expect(toField("2026-12-24T18:00:00.000Z")).toBe("2026-12-24T18:00")
  expect(fromField("2026-12-24T18:00")).toBe("2026-12-24T18:00:00.000Z")
  expect([toField(""), fromField("")]).toEqual(["", ""])
})
