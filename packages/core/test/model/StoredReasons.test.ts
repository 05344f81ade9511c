/** Codes beside sentences: rows of this version have them, and of older ones only what a decision needs is read. */
import { describe, expect, it } from "vitest"
import { gapOf, rejectionOf } from "@pawl/core/model/StoredReasons"

/** Sentences as version 3 stored them. They never change. */
const ofOldCandidates = [
  ["no sandbox budget: checks have run for all 5 hours of this month", "sandbox_budget_used_up"],
  [
    "no sandbox budget: what is left of the 5 hours of this month is kept for other organizations",
    "sandbox_budget_used_up"
  ],
  ["its verification was given up: ask for it again with retry", "verification_given_up"],
  ["its verification was given up", "verification_given_up"],
  ["merge conflict in result.txt", null],
  ["test: fail", null],
  ["rejected by usr_1", null],
  [null, null]
] as const

const ofOldEvidence = [
  ["no sandbox budget: checks have run for all 5 hours of this month", "sandbox_budget_used_up"],
  ["all 60 builds of today are used", "builds_used_up"],
  ["all 60 builds of today are used, or kept for other organizations", "builds_used_up"],
  ["no end after 300000 ms", null]
] as const

describe("The code of a row", () => {
  it.each(ofOldCandidates)("of a Candidate that an older version rejected for %o is %o", (reason, code) => {
    expect(rejectionOf({ status: "rejected", reason })).toBe(code)
    expect(rejectionOf({ status: "stale", reason })).toBe(null)
  })

  it.each(ofOldEvidence)("of a gap that an older version told as %o is %o", (summary, code) => {
    expect(gapOf({ result: "gap", summary })).toBe(code)
    expect(gapOf({ result: "fail", summary })).toBe(null)
  })

  it("decides where there is one, whatever the sentence says", () => {
    const [[reason]] = ofOldCandidates
    expect(rejectionOf({ status: "rejected", reason, rejection: "checks_failed" })).toBe("checks_failed")
    expect(gapOf({ result: "gap", summary: reason, gap: "timed_out" })).toBe("timed_out")
  })
})
