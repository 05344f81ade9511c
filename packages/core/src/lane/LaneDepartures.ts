/**
 * How a Change leaves the lane without a verdict, whoever takes it out. Outside the lane its Candidate goes on as any
 * other: nobody waits there for a turn that never comes.
 */
import { Effect } from "effect"
import { hasFailedOnPrediction } from "../candidate/Base.ts"
import { checkedAgain, verification } from "../candidate/Candidates.ts"
import { refuteCandidate } from "../candidate/Refutation.ts"
import { hasOtherVerified, isAhead, recompositionOf } from "../candidate/Staleness.ts"
import { dispatchOf } from "../change/Changes.ts"
import { isPromoting, noPromotion } from "../change/LostCandidate.ts"
import * as Commit from "../ledger/Commit.ts"
import * as Draft from "../ledger/Draft.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Head } from "../model/Generation.ts"
import type { LaneOutcomeCode } from "../model/LaneEntry.ts"
import { type Ending, leave, type Leaving } from "./LaneEnds.ts"

/** The rows that a departure is decided by. */
export interface Departure extends Ending {
  /** The entry's newest Candidate; null before the first. */
  readonly candidate: Commit.Stored<Candidate> | null
  readonly head: Commit.Stored<Head>
}

/** Makes an open Candidate stale that will not be what it was predicted to be. Answers whether it was open. */
export const refuting = Effect.fnUntraced(function* (
  draft: Draft.Draft,
  { candidate, change, head }: Pick<Departure, "candidate" | "change" | "head">,
  reason: string
) {
  if (candidate === null) return false
  const otherVerified = yield* hasOtherVerified(candidate.record, head.record)
  return refuteCandidate(draft, { candidate, change, head: head.record, otherVerified, reason })
})

/** Ways out of which the Change goes on with the same work. */
const goesOn: ReadonlySet<Leaving> = new Set(["withdrawn", "laneOff"])

/** Whether it was to go out by itself when its turn came, which comes no more. */
const isOwn = ({ entry: { record } }: Departure, trigger: Leaving): boolean =>
  trigger === "laneOff" && record.trigger === "auto" && record.status !== "aside"

/** What becomes of a Candidate of a Change that goes on without the lane. */
const outside = Effect.fnUntraced(function* (draft: Draft.Draft, own: Departure, trigger: Leaving) {
  const { change, head } = own
  if (own.candidate === null) return
  const candidate = Draft.newest(draft, "candidate", own.candidate)
  const { status } = candidate.record
  // The lane took it over before it was composed: nobody else verifies it.
  if (status === "composing") return Draft.send(draft, verification(candidate.record, draft.actor))
  if (!goesOn.has(trigger)) return
  if (status === "stale" || (yield* hasFailedOnPrediction(candidate.record)))
    return Draft.send(draft, recompositionOf(candidate.record))
  // Only now is anybody to mend it.
  if (status === "rejected" && change.record.planned === true) Draft.send(draft, dispatchOf(change.record.id))
  // The Policy that has no lane is another one: by that it is judged anew, and goes out if it may.
  if (status === "verified" && isOwn(own, trigger)) {
    const otherVerified = yield* hasOtherVerified(candidate.record, head.record)
    checkedAgain(draft, { candidate: own.candidate, change, otherVerified })
  }
})

/** A landing that has begun ends here: what left does not go live after that. */
const takeBack = (draft: Draft.Draft, stored: Departure["change"], { id }: Candidate): void => {
  const change = Draft.newest(draft, "change", stored)
  if (!isPromoting(change.record, id)) return
  const before = change.record.statusBeforePromoting ?? "verifying"
  Draft.step(draft, "change", change, ["swapRefused", before], noPromotion)
}

/**
 * Takes an entry out, with what becomes of its Candidate. One that was made on others is stale; what goes on is verified,
 * made anew on canonical, or mended, outside the lane. The head must be guarded by the caller.
 */
export const departing = Effect.fnUntraced(function* (
  draft: Draft.Draft,
  own: Departure,
  trigger: Leaving,
  code: LaneOutcomeCode
) {
  const { candidate, head } = own
  if (candidate !== null) {
    const { record } = candidate
    Draft.expect(draft, Commit.unchanged("candidate", record.id, candidate))
    if (record.ahead !== null && isAhead(record, head.record))
      yield* refuting(draft, own, "its entry has left the lane")
    if (trigger !== "archived" && trigger !== "changeCancelled") {
      yield* outside(draft, own, trigger)
      takeBack(draft, own.change, record)
    }
  }
  leave(draft, own, trigger, { code, reason: null })
})
