/** Tasks: how one is admitted, started, ended and taken up again. Each is one commit, with all that follows from it. */
import { Effect } from "effect"
import { type Actor, system } from "../model/Actor.ts"
import { callId } from "../agent/Asker.ts"
import { openCallsOf } from "../agent/Spending.ts"
import { claimsOf, heldIn, hold, type Wanted } from "../claim/Claims.ts"
import { expectedBeside } from "./Order.ts"
import { decisionsOn, standingOf } from "../approval/Standing.ts"
import type { Change } from "../model/Change.ts"
import { isClosed } from "../change/Changes.ts"
import { workStatus } from "../change/WorkStatus.ts"
import type * as Commit from "../ledger/Commit.ts"
import { type Decided, decideAndCommit, demand, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Process, Waiting } from "../work/Processes.ts"
import { Records } from "../ledger/Records.ts"
import type { Lease } from "../model/Command.ts"
import { agentId, runId, workspaceFork } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import type { Head } from "../model/Generation.ts"
import { begin, end, isWorkable, mayMove, moveTask, type Progress, readiness, type Snapshot } from "./Progress.ts"
import { isActive, isOutside, isWritable, type Task, type TaskRun } from "../model/Task.ts"

const dispatcher = system("dispatch")
/** The agent of a Task, as an actor. */
export const agentOf = (task: Task): Actor => ({ type: "agent", id: agentId(task.id) })

/** A Change and its Tasks, as they are now. The Change is read first: what its revision guards is not older than it. */
export const snapshotOf = Effect.fnUntraced(function* (changeId: string) {
  const change = yield* demand("change", changeId)
  const tasks = yield* (yield* Records).list("task", { where: { changeId }, limit: "all" })
  // Nobody holds anything whose Task is not worked: a Change that people work on costs no look at the claims.
  const isWorked = tasks.items.some(({ record }) => isActive(record))
  return {
    change,
    tasks: tasks.items,
    openCalls: yield* openCallsOf(changeId),
    owesApproval: yield* owesApproval(change.record),
    claims: isWorked ? yield* heldIn(change.record.projectId, changeId) : []
  } satisfies Snapshot
})

/** Asked only of a Change whose Tasks may still end: in every other state the gate itself takes it to its approval. */
const owesApproval = Effect.fnUntraced(function* (change: Change) {
  if (!["running", "budget_blocked"].includes(workStatus(change))) return false
  const verified = yield* (yield* Records).list("candidate", {
    where: { changeId: change.id, status: "verified" },
    limit: "all"
  })
  const owing = verified.items.filter(({ record }) => record.plan?.approvalRequired === true)
  if (owing.length === 0) return false
  const policy = (yield* demand("policy", change.projectId)).record
  for (const { record } of owing)
    if (standingOf(yield* decisionsOn(record, change, policy), record.tree, policy).owed > 0) return true
  return false
})

/** The Task inside a snapshot of its Change. */
export const taskInChange = Effect.fnUntraced(function* (taskId: string) {
  const { changeId } = (yield* demand("task", taskId)).record
  const snapshot = yield* snapshotOf(changeId)
  const task = snapshot.tasks.find((each) => each.record.id === taskId)
  return task === undefined ? yield* Effect.die(new Error(`${taskId} is gone`)) : { snapshot, task: task.record }
})

/** Whether the Policy leaves a Task to agents outside. */
const isKeptOutside = ({ projectId }: Task) =>
  Effect.map(demand("policy", projectId), ({ record }) => record.outsideAgents === "only")

/** Whether the run that a Task is at is worked by somebody's own agent. */
const isWorkedOutside = (task: Task) => Effect.map(openRun(task), (run) => run !== null && isOutside(run.record))

/** The run of an agent's attempt, on the head of this moment. */
export const newRun = (task: Task, head: Head, now: Time.Timestamp): TaskRun => {
  const id = runId(task.id, task.attempt)
  return {
    id,
    projectId: task.projectId,
    changeId: task.changeId,
    taskId: task.id,
    attempt: task.attempt,
    tier: task.tier,
    workspaceFork: isWritable(task.kind) || task.dependsOn.length > 0 ? workspaceFork(id) : null,
    baseCommit: head.commit,
    baseGeneration: head.generation,
    startedAt: now,
    endedAt: null,
    outcome: null,
    reason: null,
    modelCalls: 0,
    costUsd: 0,
    forkDeletedAt: null
  }
}

/** What an agent that was woken is to do: work, leave it, or come again when others have written what it is to write. */
export type Turn = "work" | "nothing" | { readonly waits: string; readonly untilMs: number }

/**
 * Takes a ready Task to an agent when its Change has a free slot; else it stays ready, and is woken when one frees. What
 * it is to write it claims. While another Task of its Change that has no order with it writes the same, it stays ready
 * too, for at most `Limits.claimWaitMs`.
 */
export const admit = (taskId: string, wanted: ReadonlyArray<Wanted>) =>
  decideAndCommit(
    Effect.gen(function* () {
      const { snapshot, task } = yield* taskInChange(taskId)
      const { change } = snapshot
      const nothing: Decided<Turn> = { answer: "nothing" }
      // Who works it outside is let be: the lease of that run is looked after by a command of its own.
      if (isActive(task)) return (yield* isWorkedOutside(task)) ? nothing : { answer: "work" as Turn }
      if (task.status !== "ready") return nothing
      if (change.record.status === "promoting")
        return yield* Effect.fail(new Waiting("the Change is being promoted", Limits.commandBackoffMs))
      // Raising the budget wakes it; what ends the Change cancels it.
      if (!isWorkable(change.record, task)) return nothing
      // Looked at here and not before: it may have been running outside a moment ago.
      if (yield* isKeptOutside(task)) {
        const untilMs = (yield* Time.nowMillis) + Limits.outsideLookMs
        return { answer: { waits: "the Policy leaves it to agents outside", untilMs } as Turn }
      }
      const { lease } = yield* Process
      const draft = begin(snapshot, dispatcher, yield* Time.now)
      if (snapshot.tasks.filter((each) => isActive(each.record)).length >= Limits.activeAgentsPerChange) {
        moveTask(draft, taskId, "deferred", { reason: `${Limits.activeAgentsPerChange} agents are active` })
        return { answer: "nothing" as Turn, commit: end(draft, { name: "Tasks.deferred", lease }) }
      }
      const waits = waitsFor(task, snapshot, wanted, draft.now)
      if (waits !== null) {
        // It waits already: nothing is new.
        if (waits.since) return { answer: waits.turn as Turn }
        moveTask(draft, taskId, "deferred", waits.fields)
        return { answer: waits.turn as Turn, commit: end(draft, { name: "Tasks.ordered", lease }) }
      }
      const assigned = { changeId: task.changeId, agentId: agentId(task.id) }
      moveTask(draft, taskId, "admitted", { waitsUntil: null }, { "task.assigned": assigned })
      hold(draft, task, yield* claimsOf(task), wanted)
      return { answer: "work" as Turn, commit: end(draft, { name: "Tasks.admitted", lease }) }
    })
  )

/** For whom a Task waits, and until when; null when it need not wait any more. */
export const waitsFor = (
  task: Task,
  { claims, tasks }: Snapshot,
  wanted: ReadonlyArray<Wanted>,
  now: Time.Timestamp
): { readonly turn: Turn; readonly since: boolean; readonly fields: Draft.Fields<"task"> } | null => {
  const [met] = expectedBeside(
    task,
    tasks.map(({ record }) => record),
    { mine: wanted, theirs: claims.map(({ record }) => record) }
  )
  const waitsUntil = task.waitsUntil ?? Time.fromMillis(Time.toMillis(now) + Limits.claimWaitMs)
  if (met === undefined || Time.toMillis(waitsUntil) <= Time.toMillis(now)) return null
  const key = tasks.find(({ record }) => record.id === met.taskId)?.record.key ?? met.taskId
  const reason = `${key} is writing ${met.path ?? met.symbol ?? "the same"}`
  return {
    turn: { waits: reason, untilMs: Time.toMillis(waitsUntil) },
    since: task.waitsUntil !== undefined && task.waitsUntil !== null && task.reason === reason,
    fields: { reason, waitsUntil }
  }
}

/** Which tier a run that begins is worked by. */
export const routeOf = ({ changeId, complexity, kind }: Task, { attempt, id: runId, tier }: TaskRun) => ({
  "model.route.decided": { changeId, runId, kind, complexity, tier, attempt }
})

/** The run before, when a budget or a limit ended it in the middle of its talk with a model; null else. */
const stoppedRun = Effect.fnUntraced(function* (task: Task) {
  const last = task.attempt === 0 ? null : yield* find("taskRun", runId(task.id, task.attempt))
  if (last?.record.outcome !== "stopped" || last.record.tier !== task.tier) return null
  const hasAsked =
    last.record.continues !== undefined || (yield* find("modelCall", callId(last.record.id, 1, 1))) !== null
  return hasAsked ? last.record : null
})

/** A run that goes on where another one was stopped: on the same source, so that the same answers give the same files. */
const continued = (fresh: TaskRun, { baseCommit, baseGeneration, id }: TaskRun): TaskRun => ({
  ...fresh,
  baseCommit,
  ...(baseGeneration === undefined ? {} : { baseGeneration }),
  continues: id
})

/**
 * An assigned Task begins its next run, on the canonical head of this moment, or where a budget or a limit had stopped
 * the one before.
 */
export const start = (taskId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const { snapshot, task } = yield* taskInChange(taskId)
      if (task.status !== "assigned") return { answer: undefined }
      const head = yield* demand("head", task.projectId)
      const now = yield* Time.now
      const draft = begin(snapshot, dispatcher, now)
      const attempt = task.attempt + 1
      const stopped = yield* stoppedRun(task)
      const fresh = newRun({ ...task, attempt }, head.record, now)
      const run = stopped === null ? fresh : continued(fresh, stopped)
      const data = { changeId: task.changeId, runId: run.id }
      const woken = Draft.about(agentId(task.id), { ...data, taskId })
      moveTask(
        draft,
        taskId,
        "started",
        { attempt },
        { "agent.woken": woken, ...routeOf(task, run), "task.started": { ...data, attempt } }
      )
      Draft.insert(draft, "taskRun", run)
      const { lease } = yield* Process
      return { answer: undefined, commit: end(draft, { name: "Tasks.started", lease }) }
    })
  )

/** Ends a run that goes on, beside its Task. */
export const endRun = (draft: Draft.Draft, run: Commit.Stored<TaskRun>, fields: Partial<TaskRun>) =>
  Draft.update(draft, "taskRun", run, { ...fields, endedAt: draft.now })

/** The run that a Task is at, when it goes on. */
export const openRun = (task: Task) =>
  Effect.map(find("taskRun", runId(task.id, task.attempt)), (run) => (run?.record.endedAt === null ? run : null))

/** What is told of a Task that failed for good, or is blocked until a person helps. */
export const failureOf = ({ changeId }: Task, status: "failed" | "blocked", reason: string) => ({
  "task.failed": { changeId, status, terminal: status === "failed", reason }
})

/**
 * The wake of a Task has failed too often: the Task is blocked until a person retries the letter. A Task whose agent
 * was at work is stopped in its run. Repeating it changes nothing.
 */
export const wakeDied = (taskId: string, problem: string, lease: Lease) =>
  decideAndCommit(
    Effect.gen(function* () {
      const { snapshot, task } = yield* taskInChange(taskId)
      const run = yield* openRun(task)
      const now = yield* Time.now
      const draft = begin(snapshot, dispatcher, now)
      const trigger = task.status === "running" ? "budgetStopped" : "wakeDeadLettered"
      const reason = `its agent could not be run: ${problem}`
      // Blocked before, or ended meanwhile.
      if (!mayMove(draft, taskId, trigger)) return { answer: undefined }
      moveTask(draft, taskId, trigger, { blockedBy: "dead_letter", reason }, failureOf(task, "blocked", reason))
      if (run !== null) endRun(draft, run, { outcome: "dead_lettered", reason })
      return { answer: undefined, commit: end(draft, { name: "Tasks.wakeDied", lease }) }
    })
  ).pipe(Effect.withSpan("Tasks.wakeDied"))

/** An operator retries the dead letter of a wake: its Task is ready again, and so may be what depends on it. */
export const retryDead = (actor: Actor, taskId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const { snapshot, task } = yield* taskInChange(taskId)
      if (task.blockedBy !== "dead_letter" || isClosed(snapshot.change.record.status)) return { answer: undefined }
      const draft = begin(snapshot, actor, yield* Time.now)
      if (!mayMove(draft, taskId, "retriedByOperator")) return { answer: undefined }
      moveTask(draft, taskId, "retriedByOperator", {}, readiness(task))
      return { answer: undefined, commit: end(draft, { name: "Tasks.retried" }) }
    })
  ).pipe(Effect.withSpan("Tasks.retryDead"))

/** The open Tasks of a Change that ends with it, and the runs that go on. */
export const cancelOpen = (draft: Progress, runs: ReadonlyArray<Commit.Stored<TaskRun>>, reason: string): void => {
  for (const { record } of draft.before.tasks)
    if (mayMove(draft, record.id, "changeCancelled")) moveTask(draft, record.id, "changeCancelled", { reason })
  for (const run of runs) if (run.record.endedAt === null) endRun(draft, run, { outcome: "cancelled", reason })
}

/** All runs of a Change, oldest first. */
export const runsOf = (changeId: string) =>
  Effect.flatMap(Records, (records) =>
    Effect.map(records.list("taskRun", { where: { changeId }, limit: "all" }), (page) => page.items)
  )

/** A Change that was promoted while agents were at work leaves Tasks open: they end with it. Repeating it changes nothing. */
export const closeWith = (changeId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const snapshot = yield* snapshotOf(changeId)
      if (!isClosed(snapshot.change.record.status)) return { answer: undefined }
      const draft = begin(snapshot, dispatcher, yield* Time.now)
      cancelOpen(draft, yield* runsOf(changeId), `the Change is ${snapshot.change.record.status}`)
      if (draft.writes.length === 0) return { answer: undefined }
      return { answer: undefined, commit: end(draft, { name: "Tasks.closed" }) }
    })
  ).pipe(Effect.withSpan("Tasks.closeWith"))
