/**
 * Auto-promotion: after the gate a verified Candidate promotes by the same path as a person's, with trigger `auto`,
 * when it owes no approval and its risk is listed in the Policy (specification, "Auto-promotion").
 */
import { system } from "../model/Actor.ts"
import type { Policy } from "../model/Policy.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Change } from "../model/Change.ts"
import { commandId, type NewCommand } from "../model/Command.ts"

/** The actor of promotions that no person asked for. */
export const autoPromoter = system("auto-promotion")

/**
 * Whether the Policy lets this Candidate go out by itself. Both the Change's tier and the Candidate's own must be
 * listed, so that one Candidate's light diff does not speak for another's. An unknown tier is never automatic, even
 * when a Policy lists it; neither is a Candidate that was planned under another Policy.
 */
export const promotesItself = (
  candidate: Pick<Candidate, "plan">,
  change: Pick<Change, "riskTier">,
  policy: Policy
): boolean => {
  const plan = candidate.plan
  if (plan === null || plan.policyVersion !== policy.version) return false
  const tiers = [plan.riskTier, change.riskTier]
  if (plan.approvalRequired || tiers.some((tier) => policy.approvalRiskTiers.includes(tier))) return false
  return tiers.every((tier) => tier !== "unknown" && policy.autoPromoteRiskTiers.includes(tier))
}

/** The command that promotes it. */
export const autoPromotion = (candidate: Candidate): NewCommand => ({
  kind: "candidate.promote",
  id: commandId("candidate.promote", candidate.id),
  payload: { candidateId: candidate.id, actor: autoPromoter, trigger: "auto" }
})
