/**
 * The codes of rows, whichever version stored them. Rows of before there were codes hold a sentence alone: it is read
 * here and nowhere else. The sentences below are what those versions wrote, so they stay as they are.
 */
import type { Candidate, RejectionCode } from "./Candidate.ts"
import type { Evidence, GapCode } from "./Evidence.ts"

const noSandboxBudget = "no sandbox budget"
const verificationGivenUp = "its verification was given up"
const buildsUsedUp = /^all \d+ builds of today are used/

/** Why a Candidate was rejected; null for one that was not, and where its row is older and nothing depends on it. */
export const rejectionOf = ({
  reason,
  rejection,
  status
}: Pick<Candidate, "status" | "reason" | "rejection">): RejectionCode | null => {
  if (status !== "rejected") return null
  if (rejection !== undefined) return rejection
  if (reason?.startsWith(noSandboxBudget) === true) return "sandbox_budget_used_up"
  return reason?.startsWith(verificationGivenUp) === true ? "verification_given_up" : null
}

/** Why a check came to no result; null for one that did, and where its row is older and nothing depends on it. */
export const gapOf = ({ gap, result, summary }: Pick<Evidence, "result" | "gap" | "summary">): GapCode | null => {
  if (result !== "gap") return null
  if (gap !== undefined) return gap
  if (summary.startsWith(noSandboxBudget)) return "sandbox_budget_used_up"
  return buildsUsedUp.test(summary) ? "builds_used_up" : null
}
