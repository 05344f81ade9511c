/** Cancelling a Change, in each of the states before promotion starts. */
import { Effect, Schema } from "effect"
import type { Actor } from "../access/Actor.ts"
import type { Candidate } from "../candidate/Candidate.ts"
import { CandidateLifecycle } from "../candidate/CandidateLifecycle.ts"
import type { NewEvent } from "../event/Event.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand } from "../ledger/Deciding.ts"
import * as Lifecycle from "../ledger/Lifecycle.ts"
import { Records } from "../ledger/Records.ts"
import * as Time from "../primitives/Time.ts"
import type { Task } from "../task/Task.ts"
import { TaskLifecycle } from "../task/TaskLifecycle.ts"
import type { Change } from "./Change.ts"
import { ChangeLifecycle } from "./ChangeLifecycle.ts"

/** Promotion has started, or the Change has ended. */
export class NotCancellable extends Schema.TaggedError<NotCancellable>()("NotCancellable", {
  changeId: Schema.String,
  status: Schema.String
}) {}

/** Cancels a Change with its open Tasks and Candidates. Cancelling a cancelled one answers it as it is. */
export const cancel = (actor: Actor, changeId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const change = yield* demand("change", changeId)
      if (change.record.status === "cancelled") return { answer: change.record }
      const next = Lifecycle.next(ChangeLifecycle, change.record.status, "cancel")
      if (next._tag === "Left") return yield* new NotCancellable({ changeId, status: change.record.status })
      const records = yield* Records
      const tasks = yield* records.list("task", { where: { changeId }, limit: "all" })
      const candidates = yield* records.list("candidate", { where: { changeId }, limit: "all" })
      const now = yield* Time.now
      const cancelled: Change = {
        ...change.record,
        status: next.right,
        reason: `cancelled by ${actor.id}`,
        updatedAt: now
      }
      const rejected = candidates.items.flatMap((each) => rejection(each, actor, now))
      return {
        answer: cancelled,
        commit: {
          name: "Cancel.cancel",
          projectId: change.record.projectId,
          writes: [
            Commit.update("change", change, cancelled),
            ...tasks.items.flatMap((each) => cancellation(each, now)),
            ...rejected.map((each) => each.write)
          ],
          events: [
            ...rejected.map((each) => each.event),
            { type: "change.cancelled" as const, subject: changeId, data: {}, actor }
          ]
        }
      }
    })
  ).pipe(Effect.withSpan("Cancel.cancel"))

const cancellation = (task: Commit.Stored<Task>, now: Time.Timestamp): ReadonlyArray<Commit.Write> => {
  const next = Lifecycle.next(TaskLifecycle, task.record.status, "changeCancelled")
  return next._tag === "Left"
    ? []
    : [Commit.update("task", task, { status: next.right, reason: "change cancelled", updatedAt: now })]
}

const rejection = (candidate: Commit.Stored<Candidate>, actor: Actor, now: Time.Timestamp) => {
  const next = Lifecycle.next(CandidateLifecycle, candidate.record.status, "changeCancelled")
  if (next._tag === "Left") return []
  const reason = "change cancelled"
  const event: NewEvent = {
    type: "candidate.rejected",
    subject: candidate.record.id,
    data: { changeId: candidate.record.changeId, reason },
    actor
  }
  return [{ write: Commit.update("candidate", candidate, { status: next.right, reason, updatedAt: now }), event }]
}
