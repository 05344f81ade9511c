/** Cancelling a Change, in each of the states before promotion starts. */
import { Effect, Schema } from "effect"
import type { Actor } from "../model/Actor.ts"
import type { Candidate } from "../model/Candidate.ts"
import { CandidateLifecycle } from "../model/CandidateLifecycle.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit } from "../ledger/Deciding.ts"
import * as Lifecycle from "../model/Lifecycle.ts"
import { Records } from "../ledger/Records.ts"
import * as Time from "../primitives/Time.ts"
import { begin, type Draft, emit, end, moveChange } from "../task/Progress.ts"
import { cancelOpen, runsOf, snapshotOf } from "../task/Tasks.ts"
import { ChangeLifecycle } from "../model/ChangeLifecycle.ts"

/** Promotion has started, or the Change has ended. */
export class NotCancellable extends Schema.TaggedError<NotCancellable>()("NotCancellable", {
  changeId: Schema.String,
  status: Schema.String
}) {}

const reason = "change cancelled"

/**
 * Cancels a Change with its open Tasks and Candidates; it says `why`, or else who did. Cancelling a cancelled one answers
 * it as it is.
 */
export const cancel = (actor: Actor, changeId: string, why = `cancelled by ${actor.id}`) =>
  decideAndCommit(
    Effect.gen(function* () {
      const snapshot = yield* snapshotOf(changeId)
      const { record } = snapshot.change
      if (record.status === "cancelled") return { answer: record }
      if (!Lifecycle.allows(ChangeLifecycle, record.status, "cancel"))
        return yield* new NotCancellable({ changeId, status: record.status })
      const candidates = yield* (yield* Records).list("candidate", { where: { changeId }, limit: "all" })
      const now = yield* Time.now
      const draft = begin(snapshot, actor, now)
      moveChange(draft, "cancel", { reason: why })
      cancelOpen(draft, yield* runsOf(changeId), reason)
      for (const each of candidates.items) reject(draft, each)
      emit(draft, { type: "change.cancelled", subject: changeId, data: {} })
      const commit = end(draft, { name: "Cancel.cancel" })
      return { answer: draft.change, commit }
    })
  ).pipe(Effect.withSpan("Cancel.cancel"))

const reject = (draft: Draft, candidate: Commit.Stored<Candidate>): void => {
  const next = Lifecycle.next(CandidateLifecycle, candidate.record.status, "changeCancelled")
  if (next._tag === "Failure") return
  draft.writes.push(Commit.update("candidate", candidate, { status: next.success, reason, updatedAt: draft.now }))
  emit(draft, {
    type: "candidate.rejected",
    subject: candidate.record.id,
    data: { changeId: candidate.record.changeId, reason }
  })
}
