/** Whether people are asked about a Candidate: what its plan, its risk and its evidence owe an approver. */
import type { Stored } from "../ledger/Commit.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Evidence } from "../model/Evidence.ts"
import type { Plan } from "../model/Plan.ts"
import type { Policy } from "../model/Policy.ts"
import { brokenPromises, riskAfter } from "../verification/Gate.ts"

/** A Candidate and all evidence about it. */
interface Judged {
  readonly candidate: Stored<Candidate>
  readonly evidence: ReadonlyArray<Evidence>
}

/** Whether an approval is owed, decided or not: by the plan, by its risk, and by what the checks showed. */
export const needsApproval = ({
  candidate,
  evidence,
  policy
}: Judged & { readonly policy: Stored<Policy> }): boolean => {
  const { commit, plan, tree } = candidate.record
  if (plan === null || commit === null || tree === null) return false
  return isApprovalOwed(plan, { commit, tree }, evidence, policy.record)
}

/** The same of a plan, and of what its checks showed of a composition. */
export const isApprovalOwed = (
  plan: Plan,
  composed: { readonly commit: string; readonly tree: string },
  evidence: ReadonlyArray<Evidence>,
  { approvalRiskTiers }: Pick<Policy, "approvalRiskTiers">
): boolean => {
  const after = riskAfter(plan, composed, evidence)
  return plan.approvalRequired || approvalRiskTiers.includes(plan.riskTier) || approvalRiskTiers.includes(after)
}

/** The old promises that were not seen to hold. */
export const brokenOf = ({ candidate, evidence }: Judged) => {
  const { commit, plan, tree } = candidate.record
  return plan === null || commit === null || tree === null ? [] : brokenPromises(plan, { commit, tree }, evidence)
}
