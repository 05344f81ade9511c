import { describe, expect, it } from "vitest"
import { summaryOf, touched } from "../../src/policy/Backtest.ts"
import {
  changedFields,
  fromField,
  inWords,
  namesIn,
  onTopOf,
  type PolicyFields,
  toField
} from "../../src/policy/PolicyDraft.ts"

const base: PolicyFields = {
  autoPromoteRiskTiers: [],
  approvalRiskTiers: ["high"],
  requiredChecks: [],
  allowSelfApproval: true,
  approvalsRequired: 1,
  waivedChecks: [],
  baseChecksMustPass: false,
  packages: { minAgeDays: 7, deny: ["left"] },
  outsideAgents: true
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

it("takes older words for whether agents outside may work, as the API does", () => {
  const typed = (outsideAgents: unknown) => inWords({ ...base, outsideAgents } as PolicyFields).outsideAgents
  expect([typed("never"), typed("also"), typed("only"), typed(false)]).toEqual([false, true, "only", false])
})

it("reads names one a line or between commas, each once", () => {
  expect(namesIn(" test\nlint, test\n\n")).toEqual(["test", "lint"])
})

it("takes moments to fields of the browser and back, in UTC", () => {
  expect(toField("2026-12-24T18:00:00.000Z")).toBe("2026-12-24T18:00")
  expect(fromField("2026-12-24T18:00")).toBe("2026-12-24T18:00:00.000Z")
  expect([toField(""), fromField("")]).toEqual(["", ""])
})

describe("What a draft would have done", () => {
  const tried = (
    codes: ReadonlyArray<string>,
    candidateId: string | null = "cand_1",
    unsure: ReadonlyArray<string> = []
  ) => ({ changeId: "chg_1", candidateId, unsure, differences: codes.map((code) => ({ code, reason: code })) }) as never

  it("is told of those for which it makes a difference, or of which something is not recorded", () => {
    expect(touched([tried([]), tried(["checks"]), tried([], "cand_1", ["not recorded"])]).length).toBe(2)
  })

  it("is counted, those that were never checked apart", () => {
    expect(summaryOf([])).toBe("No Change was checked yet: there is nothing to try it on.")
    expect(summaryOf([tried([])])).toBe("It would have changed nothing for 1 Change.")
    expect(summaryOf([tried(["checks"]), tried([]), tried([], null)])).toBe(
      "It would have changed something for 1 of 2 Changes. 1 had no Candidate that was checked."
    )
  })
})
