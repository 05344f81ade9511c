/**
 * A rollback that is under way goes in front of the line: whatever landed before it would make it stale, and its Change
 * would end with it. One that people must decide on first holds nobody, for that may take days.
 */
import { Effect } from "effect"
import { decisionsOn, standingOf } from "../approval/Standing.ts"
import { isAhead, isBehind } from "../candidate/Staleness.ts"
import { isClosed } from "../change/Changes.ts"
import { find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import type { Candidate, CandidateStatus } from "../model/Candidate.ts"
import type { Change } from "../model/Change.ts"
import type { Head } from "../model/Generation.ts"
import type { Lane } from "../model/Lane.ts"
import type { Policy } from "../model/Policy.ts"

const underWay: ReadonlySet<CandidateStatus> = new Set(["composing", "verifying", "verified"])

/** Whether approvals are asked of a verified Candidate at all. */
export const needsApprovals = ({ plan }: Pick<Candidate, "plan">, policy: Policy): boolean =>
  plan !== null && (plan.approvalRequired || policy.approvalRiskTiers.includes(plan.riskTier))

/** Whether people must still decide on a Candidate that is verified. */
const isOwing = Effect.fnUntraced(function* (candidate: Candidate, change: Change, policy: Policy) {
  if (candidate.status !== "verified" || !needsApprovals(candidate, policy)) return false
  return standingOf(yield* decisionsOn(candidate, change, policy), candidate.tree, policy).owed > 0
})

/**
 * The Change of the newest rollback, while those in the line let it before them; null for none. One that has ended, or is
 * behind by now, holds nobody. Where none was ever asked for nothing is read.
 */
export const rollbackInFront = Effect.fnUntraced(function* (lane: Lane, head: Head, policy: Policy) {
  if (lane.rollback === undefined) return null
  const change = (yield* find("change", lane.rollback))?.record
  if (change === undefined || isClosed(change.status)) return null
  const where = { changeId: change.id }
  const made = yield* (yield* Records).list("candidate", { where, order: "newest", limit: 1 })
  const candidate = made.items[0]?.record
  if (candidate === undefined || !underWay.has(candidate.status)) return null
  if (isBehind(candidate, head) || isAhead(candidate, head)) return null
  return (yield* isOwing(candidate, change, policy)) ? null : change.id
})
