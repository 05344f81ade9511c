/** The leases of runs that are worked outside: renewed by who works them, looked after by a command each. */
import { Effect, Schema } from "effect"
import { claimsOf, hold } from "../claim/Claims.ts"
import { isClosed } from "../change/Changes.ts"
import type * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { type Actor, system } from "../model/Actor.ts"
import { commandId, type NewCommand } from "../model/Command.ts"
import type { OutsideWork, TaskRun } from "../model/Task.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { refuseArchived } from "../project/ArchivedProject.ts"
import { Waiting } from "../work/Processes.ts"
import { begin, end, moveTask, readiness } from "./Progress.ts"
import { closeWith, endRun, openRun, taskInChange } from "./Tasks.ts"

/** The run is not in the hands of who asks: it has ended, its lease did, or somebody else works it. */
export class RunNotHeld extends Schema.TaggedError<RunNotHeld>()("RunNotHeld", {
  runId: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.runId} is not in your hands: ${this.reason}.`
  }
}

/** A run that goes on outside, and what is known of that. */
export interface Held {
  readonly run: Commit.Stored<TaskRun>
  readonly outside: OutsideWork
}

/** Until when a lease holds that is given now. */
export const leaseFrom = (now: Time.Timestamp): Time.Timestamp =>
  Time.fromMillis(Time.toMillis(now) + Limits.outsideLeaseMs)

/** Looks after the lease of a run. */
export const leaseCommand = (id: string): NewCommand => ({
  kind: "run.lease",
  id: commandId("run.lease", id),
  payload: { runId: id },
  delayMs: Limits.outsideLeaseMs
})

const over = ({ outcome, reason }: TaskRun): string =>
  `it is over (${outcome ?? "ended"}${reason === undefined || reason === null ? "" : `: ${reason}`})`

/**
 * A run that goes on, for the person who claimed it or for their agent, which acts as them. Fails with `RunNotHeld`,
 * `ProjectArchived` or `Unknown`.
 */
export const heldRun = Effect.fnUntraced(function* (actor: Actor, runId: string) {
  const run = yield* demand("taskRun", runId)
  yield* refuseArchived(run.record.projectId)
  const { endedAt, outside } = run.record
  if (outside === undefined) return yield* new RunNotHeld({ runId, reason: "no agent outside works it" })
  if (outside.claimedBy !== actor.id)
    return yield* new RunNotHeld({ runId, reason: `${outside.claimedBy} claimed its Task` })
  if (endedAt !== null) return yield* new RunNotHeld({ runId, reason: over(run.record) })
  if (outside.leaseUntil <= (yield* Time.now))
    return yield* new RunNotHeld({ runId, reason: `its lease ended at ${outside.leaseUntil}` })
  return { run, outside } satisfies Held
})

/** Renews the lease of a run, and the claims of its Task. Fails as `heldRun` does. */
export const renew = (actor: Actor, runId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const { outside, run } = yield* heldRun(actor, runId)
      const task = yield* demand("task", run.record.taskId)
      const draft = Draft.begin(run.record.projectId, actor, yield* Time.now)
      hold(draft, task.record, yield* claimsOf(task.record), [])
      const renewed = Draft.update(draft, "taskRun", run, {
        outside: { ...outside, leaseUntil: leaseFrom(draft.now) }
      })
      return { answer: renewed.record, commit: Draft.end(draft, { name: "OutsideLeases.renew" }) }
    })
  ).pipe(Effect.withSpan("OutsideLeases.renew"))

/** The commit that ends a run outside, and makes its Task ready again. */
const handedBack = Effect.fnUntraced(function* (actor: Actor, run: Commit.Stored<TaskRun>, reason: string) {
  const { snapshot, task } = yield* taskInChange(run.record.taskId)
  const open = yield* openRun(task)
  if (task.status !== "running" || open?.record.id !== run.record.id) return { answer: task }
  const draft = begin(snapshot, actor, yield* Time.now)
  const moved = moveTask(draft, task.id, "handedBack", { reason }, readiness(task))
  endRun(draft, open, { outcome: "stopped", reason })
  return { answer: moved, commit: end(draft, { name: "OutsideLeases.handedBack" }) }
})

/** Gives the Task of a run up: it is ready again, for any agent. Answers the Task. Fails as `heldRun` does. */
export const giveUp = (actor: Actor, runId: string, reason: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const { run } = yield* heldRun(actor, runId)
      const said = reason.trim().slice(0, Limits.giveUpReasonLength)
      return yield* handedBack(actor, run, `given up by ${actor.id}: ${said || "no reason was given"}`)
    })
  ).pipe(Effect.withSpan("OutsideLeases.giveUp"))

const watcher = system("leases")

/** Takes a Task back whose run nobody has renewed. */
const expire = (runId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const run = yield* demand("taskRun", runId)
      const { endedAt, outside } = run.record
      if (endedAt !== null || outside === undefined || outside.leaseUntil > (yield* Time.now))
        return { answer: undefined }
      const back = yield* handedBack(watcher, run, "its agent outside was gone: nobody renewed its lease")
      return { ...back, answer: undefined }
    })
  )

/** The body of `run.lease`: waits for the end of a lease, as often as that moves, and takes the Task back then. */
export const look = Effect.fnUntraced(function* (runId: string) {
  const { record: run } = yield* demand("taskRun", runId)
  if (run.endedAt !== null || run.outside === undefined) return
  const change = (yield* demand("change", run.changeId)).record
  if (isClosed(change.status)) return yield* closeWith(change.id)
  const leftMs = Time.toMillis(run.outside.leaseUntil) - (yield* Time.nowMillis)
  if (leftMs > 0) return yield* Effect.fail(new Waiting("its lease holds", leftMs))
  yield* expire(runId)
}, Effect.withSpan("OutsideLeases.look"))
