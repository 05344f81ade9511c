/**
 * Auto-promotion: after the gate a verified Candidate promotes by the same path as a person's, with trigger `auto`,
 * when it owes no approval and its risk is listed in the Policy (specification, "Auto-promotion").
 */
import { Effect } from "effect"
import { Records } from "../ledger/Records.ts"
import { system } from "../model/Actor.ts"
import type { LaneEntry } from "../model/LaneEntry.ts"
import type { Policy } from "../model/Policy.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Change } from "../model/Change.ts"
import { commandId, type NewCommand } from "../model/Command.ts"

/** The actor of promotions that no person asked for. */
export const autoPromoter = system("auto-promotion")

/** In whose name an entry of the lane lands: of who asked for that, or of the Policy. */
export const landsAs = ({ enteredBy, trigger }: Pick<LaneEntry, "enteredBy" | "trigger">) => ({
  actor: trigger === "auto" ? autoPromoter : enteredBy,
  trigger
})

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

/**
 * Whether a person took these very ChangeSets out of the lane, or newer work of their Change did: then they neither go out
 * nor enter again by themselves, but only when somebody says so. Nothing is read where the lane is off.
 */
export const isTakenOut = Effect.fnUntraced(function* ({ changeId, changeSets }: Candidate, { lane }: Policy) {
  if (lane?.mode !== "on") return false
  const listing = { where: { changeId }, order: "newest", limit: 1 } as const
  const newest = (yield* (yield* Records).list("laneEntry", listing)).items[0]?.record
  if (newest === undefined || newest.changeSets.join() !== changeSets.join()) return false
  // Of a Change that is in no lane an open entry is one that the lane has not looked at since.
  return newest.outcome === null || newest.outcome.code === "withdrawn" || newest.outcome.code === "new_work"
})

/** The command that promotes it. */
export const autoPromotion = (candidate: Candidate): NewCommand => ({
  kind: "candidate.promote",
  id: commandId("candidate.promote", candidate.id),
  payload: { candidateId: candidate.id, actor: autoPromoter, trigger: "auto" }
})
