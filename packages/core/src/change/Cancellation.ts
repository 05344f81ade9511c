/** Cancelling a Change, in each of the states before promotion starts. */
import { Effect, Schema } from "effect"
import type { Actor } from "../model/Actor.ts"
import type { Candidate } from "../model/Candidate.ts"
import type * as Commit from "../ledger/Commit.ts"
import { decideAndCommit } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Records } from "../ledger/Records.ts"
import { laneStepAfter, laneStepOf } from "../work/LaneWork.ts"
import * as Time from "../primitives/Time.ts"
import { begin, changeIn, end } from "../task/Progress.ts"
import { cancelOpen, runsOf, snapshotOf } from "../task/Tasks.ts"

/** Promotion has started, or the Change has ended. */
export class NotCancellable extends Schema.TaggedError<NotCancellable>()("NotCancellable", {
  changeId: Schema.String,
  status: Schema.String
}) {
  override get message() {
    return `${this.changeId} is ${this.status}. A Change can be cancelled until its promotion starts.`
  }
}

const reason = "change cancelled"

/**
 * Cancels a Change with its open Tasks and Candidates; it says `why`, or else who did. Cancelling a cancelled one answers
 * it as it is. Fails with `NotCancellable` or `Unknown`.
 */
export const cancel = (actor: Actor, changeId: string, why = `cancelled by ${actor.id}`) =>
  decideAndCommit(
    Effect.gen(function* () {
      const snapshot = yield* snapshotOf(changeId)
      const { change } = snapshot
      const { status } = change.record
      if (status === "cancelled") return { answer: change.record }
      const draft = begin(snapshot, actor, yield* Time.now)
      if (!Draft.may(draft, "change", change, "cancel")) return yield* new NotCancellable({ changeId, status })
      const candidates = yield* (yield* Records).list("candidate", { where: { changeId }, limit: "all" })
      cancelOpen(draft, yield* runsOf(changeId), reason)
      for (const each of candidates.items) reject(draft, each)
      Draft.step(draft, "change", change, "cancel", { reason: why }, { "change.cancelled": {} })
      Draft.send(draft, ...laneStepOf(change.record), ...(yield* laneStepAfter(change.record)))
      const commit = end(draft, { name: "Cancel.cancel" })
      return { answer: changeIn(draft), commit }
    })
  ).pipe(Effect.withSpan("Cancel.cancel"))

/** Those that have ended stay as they are. */
const reject = (draft: Draft.Draft, candidate: Commit.Stored<Candidate>): void => {
  if (!Draft.may(draft, "candidate", candidate, "changeCancelled")) return
  const { changeId } = candidate.record
  Draft.step(
    draft,
    "candidate",
    candidate,
    "changeCancelled",
    { reason, rejection: "change_cancelled" },
    { "candidate.rejected": { changeId, reason } }
  )
}
