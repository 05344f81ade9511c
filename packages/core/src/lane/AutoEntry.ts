/**
 * A Change that may go out by itself enters the lane when its Candidate is asked for. What it is verified on the lane says
 * then, before anything of it is composed or checked.
 */
import { Effect } from "effect"
import { autoPromoter, isTakenOut } from "../candidate/AutoPromotion.ts"
import { demand } from "../ledger/Decision.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Change } from "../model/Change.ts"
import type { Policy } from "../model/Policy.ts"
import { isInLane } from "../work/LaneWork.ts"
import { enter } from "./LaneEntries.ts"

/** Whether the Policy may let it out by itself. A tier that nobody has judged yet may turn out to be one of those. */
const mayGoOut = ({ kind, riskTier }: Change, { autoPromoteRiskTiers, lane }: Policy): boolean =>
  lane?.mode === "on" &&
  kind !== "rollback" &&
  autoPromoteRiskTiers.length > 0 &&
  (riskTier === "unknown" || autoPromoteRiskTiers.includes(riskTier))

/**
 * Answers whether the lane has the Candidate, so that nobody else verifies it. A Candidate that the lane has asked for is
 * verified; so is one that somebody asks for of a Change whose entry has another. With the lane off nothing is read.
 */
export const takeOver = Effect.fnUntraced(function* (candidate: Candidate, policy: Policy) {
  if (policy.lane?.mode !== "on" || candidate.prediction !== undefined) return false
  const change = (yield* demand("change", candidate.changeId)).record
  if (isInLane(change)) {
    const entry = yield* demand("laneEntry", change.laneEntryId ?? "")
    return entry.record.candidateId === candidate.id
  }
  if (!mayGoOut(change, policy) || (yield* isTakenOut(candidate, policy))) return false
  return yield* enter(autoPromoter, { changeId: change.id, candidateId: candidate.id, trigger: "auto" }).pipe(
    Effect.as(true),
    // It has ended meanwhile, or the lane has: it is verified as if there were none.
    Effect.catchTags({
      ChangeClosed: () => Effect.succeed(false),
      LaneOff: () => Effect.succeed(false),
      ProjectArchived: () => Effect.succeed(false)
    })
  )
})
