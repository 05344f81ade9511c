/** What people do about a Task: they stop it, take it up again, or do it themselves. Each may be asked for twice. */
import { Effect, Schema } from "effect"
import { ChangeClosed, dispatchOf, isClosed } from "../change/Changes.ts"
import { workStatus } from "../change/WorkStatus.ts"
import type * as Commit from "../ledger/Commit.ts"
import { decideAndCommit } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import type { Actor } from "../model/Actor.ts"
import { commandId } from "../model/Command.ts"
import { isHeld, isWritable, type Task } from "../model/Task.ts"
import { isOver } from "../model/TaskLifecycle.ts"
import * as Time from "../primitives/Time.ts"
import { demandActive, unchangedProject } from "../project/ArchivedProject.ts"
import { Commands } from "../work/Commands.ts"
import { begin, changeIn, end, moveTask, type Progress, readiness, type Snapshot, taskIn } from "./Progress.ts"
import { endRun, failureOf, openRun, taskInChange } from "./Tasks.ts"
import { dependenciesOf } from "./Workspaces.ts"

/** The Task is completed, failed for good or cancelled: nothing takes it up again. */
export class TaskClosed extends Schema.TaggedError<TaskClosed>()("TaskClosed", {
  taskId: Schema.String,
  status: Schema.String
}) {
  override get message() {
    return `${this.taskId} is ${this.status}, for good.`
  }
}

/** The Task waits for another one, and would be blocked again at once. */
export class NotRetryable extends Schema.TaggedError<NotRetryable>()("NotRetryable", {
  taskId: Schema.String,
  /** The id of the Task that it waits for. */
  waitsFor: Schema.String,
  status: Schema.String
}) {
  override get message() {
    const other = `It waits for ${this.waitsFor}, which is ${this.status}`
    return this.status === "failed"
      ? `${other}, for good. Take this Task over, or cancel the Change.`
      : `${other}. Take that one up again.`
  }
}

/** A Task of a read-only kind ends with words, not with a ChangeSet: a person cannot hold it. */
export class ReadOnlyTask extends Schema.TaggedError<ReadOnlyTask>()("ReadOnlyTask", {
  taskId: Schema.String,
  kind: Schema.String
}) {
  override get message() {
    return `${this.taskId} is a ${this.kind} Task, which changes no file: no ChangeSet could complete it. Write its agent a note.`
  }
}

/**
 * A Task that is not over, of a Change that is not either, and what a commit about it relies on. Fails with `TaskClosed`,
 * `ChangeClosed`, `ProjectArchived` or `Unknown`.
 */
export const openTask = Effect.fnUntraced(function* (taskId: string) {
  const { snapshot, task } = yield* taskInChange(taskId)
  const project = yield* demandActive(task.projectId)
  if (isOver(task)) return yield* new TaskClosed({ taskId, status: task.status })
  const { id: changeId, status } = snapshot.change.record
  if (isClosed(status) || status === "releasing") return yield* new ChangeClosed({ changeId, status })
  const stored = snapshot.tasks.find(({ record }) => record.id === taskId)
  if (stored === undefined) return yield* Effect.die(new Error(`${taskId} is gone`))
  return { snapshot, task: stored, unarchived: unchangedProject(project) }
})

interface Open {
  readonly snapshot: Snapshot
  readonly task: Commit.Stored<Task>
  readonly unarchived: Commit.Expectation
}

/** Moves an open Task by what `move` puts into the draft; its run, when one goes on, ends with this reason. */
const moving = Effect.fnUntraced(function* (
  actor: Actor,
  { snapshot, task, unarchived }: Open,
  name: string,
  reason: string,
  move: (draft: Progress) => void
) {
  const run = yield* openRun(task.record)
  const draft = begin(snapshot, actor, yield* Time.now)
  Draft.expect(draft, unarchived)
  move(draft)
  // Of what its budget or the calls of a day had stopped, nothing may be left that waits for them.
  if (workStatus(changeIn(draft)) === "budget_blocked") Draft.send(draft, dispatchOf(task.record.changeId))
  if (run !== null) endRun(draft, run, { outcome: "stopped", reason })
  const commit = end(draft, { name })
  return { answer: taskIn(draft, task.record.id), commit }
})

/**
 * Stops a Task until somebody takes it up again: its run ends, and what depends on it is blocked. Answers the Task; one
 * that is stopped stays as it is. Fails as `openTask` does.
 */
export const stop = (actor: Actor, taskId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const open = yield* openTask(taskId)
      const task = open.task.record
      if (task.status === "blocked" && task.blockedBy === "stopped") return { answer: task }
      const reason = `stopped by ${actor.id}`
      return yield* moving(actor, open, "Interventions.stop", reason, (draft) =>
        moveTask(
          draft,
          task.id,
          "stoppedByPerson",
          { blockedBy: "stopped", reason },
          failureOf(task, "blocked", reason)
        )
      )
    })
  ).pipe(Effect.withSpan("Interventions.stop"))

/**
 * Takes a Task from its agent for the person who asks: their ChangeSet for it completes it. Answers the Task; one that
 * they hold stays as it is, and one that somebody else holds is theirs now. Fails with `ReadOnlyTask`, and as `openTask`
 * does.
 */
export const handOver = (actor: Actor, taskId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const open = yield* openTask(taskId)
      const task = open.task.record
      if (isHeld(task) && task.heldBy === actor.id) return { answer: task }
      if (!isWritable(task.kind)) return yield* new ReadOnlyTask({ taskId, kind: task.kind })
      const { changeId } = task
      const reason = `held by ${actor.id}`
      return yield* moving(actor, open, "Interventions.handOver", reason, (draft) =>
        moveTask(
          draft,
          task.id,
          "handedOver",
          { blockedBy: "person", heldBy: actor.id, reason },
          { "task.assigned": { changeId, userId: actor.id } }
        )
      )
    })
  ).pipe(Effect.withSpan("Interventions.handOver"))

/** Gives a blocked Task to its agent again: ready, or pending while what it depends on is not completed. */
const retrying = Effect.fnUntraced(function* (actor: Actor, taskId: string) {
  const open = yield* openTask(taskId)
  const task = open.task.record
  if (task.status !== "blocked") return { answer: task }
  const needed = dependenciesOf(
    task,
    open.snapshot.tasks.map(({ record }) => record)
  )
  const obstacle = needed.find((each) => each.status === "failed" || (each.status === "blocked" && !isHeld(each)))
  if (obstacle !== undefined) return yield* new NotRetryable({ taskId, waitsFor: obstacle.id, status: obstacle.status })
  const isReady = needed.every(({ status }) => status === "completed")
  return yield* moving(actor, open, "Interventions.retry", `retried by ${actor.id}`, (draft) =>
    isReady
      ? moveTask(draft, task.id, "retriedByOperator", {}, readiness(task))
      : moveTask(draft, task.id, "givenBack", {})
  )
})

/**
 * Takes a blocked Task up again, whatever a person, its budget or the machinery stopped it for: it is ready for its
 * agent, or pending while Tasks that it depends on are not completed. Answers the Task; one that is not blocked stays as
 * it is. Fails with `NotRetryable`, and as `openTask` does.
 */
export const retry = Effect.fnUntraced(function* (actor: Actor, taskId: string) {
  const task = yield* decideAndCommit(retrying(actor, taskId))
  // The letter of a wake that had died goes with it. If this ends half-way, the letter that still lies there does no harm.
  yield* Effect.flatMap(Commands, (commands) => commands.retry(commandId("agent.wake", taskId))).pipe(
    Effect.catchTag("DeadLetterMissing", () => Effect.void)
  )
  return task
}, Effect.withSpan("Interventions.retry"))
