/**
 * What follows when Tasks move: dependents become ready, blocked or pending again, a free slot wakes who waits for it,
 * the last Task takes its Change on. One pure place, for agents, people, operators and cancels alike.
 *
 * Every commit made here writes the Change, so its revision guards all rules about the set of its Tasks.
 */
import { loseCalls } from "../agent/Spending.ts"
import type { Actor } from "../model/Actor.ts"
import type { Change } from "../model/Change.ts"
import { ChangeLifecycle } from "../model/ChangeLifecycle.ts"
import * as Lifecycle from "../model/Lifecycle.ts"
import type { ModelCall } from "../model/ModelCall.ts"
import type { Claim } from "../model/Claim.ts"
import { release } from "../claim/Claims.ts"
import { dispatchOf } from "../change/Changes.ts"
import { mayWork, stepWork, workStatus } from "../change/WorkStatus.ts"
import { commandId } from "../model/Command.ts"
import type * as Commit from "../ledger/Commit.ts"
import * as Draft from "../ledger/Draft.ts"
import { isInLane, laneStepOf } from "../work/LaneWork.ts"
import type * as Time from "../primitives/Time.ts"
import { isActive, isHeld, isPlanned, isRepair, type Task } from "../model/Task.ts"
import { standstillOf } from "./Standstill.ts"

/** A Change and all its Tasks in order of insertion, as they were read. */
export interface Snapshot {
  readonly change: Commit.Stored<Change>
  readonly tasks: ReadonlyArray<Commit.Stored<Task>>
  /** Its calls of models that are on their way. */
  readonly openCalls: ReadonlyArray<Commit.Stored<ModelCall>>
  /** Whether a verified Candidate of it owes an approval that nobody has granted. */
  readonly owesApproval: boolean
  /** Claims that its Tasks hold. */
  readonly claims: ReadonlyArray<Commit.Stored<Claim>>
}

/** The draft of a commit that moves Tasks. */
export interface Progress extends Draft.Draft {
  readonly before: Snapshot
  /** Those that were there, and those that are new. */
  readonly tasks: Array<Commit.Stored<Task>>
}

/** A draft of what follows from a move, with nothing in it yet. */
export const begin = (before: Snapshot, actor: Actor, now: Time.Timestamp): Progress => ({
  ...Draft.begin(before.change.record.projectId, actor, now),
  before,
  tasks: [...before.tasks]
})

/** The Change as the draft leaves it. */
export const changeIn = (draft: Progress): Change => Draft.newest(draft, "change", draft.before.change).record

/** The Tasks as the draft leaves them. */
const tasksIn = (draft: Progress): ReadonlyArray<Task> =>
  draft.tasks.map((task) => Draft.newest(draft, "task", task).record)

const storedTask = (draft: Progress, id: string): Commit.Stored<Task> => {
  const task = draft.tasks.find(({ record }) => record.id === id)
  if (task === undefined) throw new Error(`${id} is no Task of ${draft.before.change.record.id}`)
  return task
}

/** A Task as the draft leaves it. */
export const taskIn = (draft: Progress, id: string): Task => Draft.newest(draft, "task", storedTask(draft, id)).record

/**
 * A Change that has new work is not what its entry of the lane was to land: it is in no lane any more. Of a Change in no
 * lane nothing is written.
 */
export const leaveLane = (draft: Progress): void => {
  const { change } = draft.before
  if (!isInLane(change.record)) return
  Draft.update(draft, "change", change, { laneEntryId: null })
  Draft.send(draft, ...laneStepOf(change.record))
}

/** Whether the life of a Task has this step. */
export const mayMove = (draft: Progress, id: string, trigger: Draft.TriggerOf<"task">): boolean =>
  Draft.may(draft, "task", storedTask(draft, id), trigger)

/** Takes a Task a step on, and answers it as it is then. What it waited for before, and why, is over. */
export const moveTask = <T extends Draft.TriggerOf<"task">>(
  draft: Progress,
  id: string,
  trigger: T,
  fields: Draft.Fields<"task">,
  ...data: Draft.Telling<"task", T>
): Task => {
  const moved = { reason: null, blockedBy: null, heldBy: null, ...fields }
  const { record } = Draft.step(draft, "task", storedTask(draft, id), trigger, moved, ...data)
  if (record.status === "ready" && trigger !== "deferred") wake(draft, record)
  return record
}

/** What is told of a Task that is ready. */
export const readiness = ({ changeId, key }: Task) => ({ "task.ready": { changeId, key } })

/** A Task that begins in one of the initial states. */
export const addTask = (draft: Progress, task: Task): void => {
  draft.tasks.push(Draft.insert(draft, "task", task))
}

/** Tells that a Task is ready, and wakes its agent where the Change is running. */
export const announceReady = (draft: Progress, task: Task): void => {
  Draft.tell(draft, task.id, readiness(task))
  wake(draft, task)
}

/** Whether a Task of a Change may be worked now: a repair while the Change is verified, any other while it runs. */
export const isWorkable = (change: Change, task: Task): boolean => {
  const status = workStatus(change)
  return status === "running" || (isRepair(task) && (status === "verifying" || status === "awaiting_approval"))
}

/** One wake per ready Task. While the budget stands in the way none is sent: raising it sends them. */
const wake = (draft: Progress, task: Task): void => {
  if (!isWorkable(changeIn(draft), task)) return
  const id = commandId("agent.wake", task.id)
  if (!draft.commands.some((command) => command.id === id))
    Draft.send(draft, { kind: "agent.wake", id, payload: { taskId: task.id } })
}

/** What depends on a Task that a person holds waits for that person, as it would for an agent. */
const stopped = (task: Task): boolean => task.status === "failed" || (task.status === "blocked" && !isHeld(task))

/** One step that follows from where the dependencies of a Task are; false when nothing does. */
const followOne = (draft: Progress, task: Task): boolean => {
  const needed = tasksIn(draft).filter((each) => task.dependsOn.includes(each.key))
  const obstacle = needed.find(stopped)
  if (task.status === "pending" && obstacle !== undefined) {
    const reason = `it depends on ${obstacle.key}, which is ${obstacle.status}`
    moveTask(draft, task.id, "dependencyFailed", { blockedBy: "dependency", reason })
  } else if (task.status === "pending" && needed.every((each) => each.status === "completed"))
    moveTask(draft, task.id, "dependenciesCompleted", {}, readiness(task))
  else if (task.status === "blocked" && task.blockedBy === "dependency" && obstacle === undefined)
    moveTask(draft, task.id, "dependencyRevived", {})
  else return false
  return true
}

/** Who has ended, or waits for people, writes nothing any more. */
const releaseClaims = (draft: Progress): void => {
  const active = new Set<string>(tasksIn(draft).flatMap((task) => (isActive(task) ? [task.id] : [])))
  release(
    draft,
    draft.before.claims.filter(({ record }) => !active.has(record.taskId))
  )
}

const activeIn = (tasks: ReadonlyArray<Task>): number => tasks.filter(isActive).length

/** Everything that follows, until nothing more does. */
const follow = (draft: Progress): void => {
  // Each pass settles at least one Task; the graph has no cycle, so no Task goes round.
  for (let moved = true; moved;) {
    moved = false
    for (const task of draft.tasks) while (followOne(draft, Draft.newest(draft, "task", task).record)) moved = true
  }
  const tasks = tasksIn(draft)
  const slotFreed = activeIn(tasks) < activeIn(draft.before.tasks.map(({ record }) => record))
  const resumed = workStatus(draft.before.change.record) !== "running"
  if (slotFreed || resumed) for (const task of tasks) if (task.status === "ready") wake(draft, task)
  if (tasks.length > 0 && tasks.every(({ status }) => status === "completed")) complete(draft)
  afterRepair(draft, tasks)
}

const isOver = ({ status }: Task): boolean => status === "completed" || status === "failed"

/** A repair that has ended is looked at: its Candidate is asked for, or a person is told that it came to nothing. */
const afterRepair = (draft: Progress, tasks: ReadonlyArray<Task>): void => {
  const wasOpen = (id: string) => draft.before.tasks.some(({ record }) => record.id === id && !isOver(record))
  const ended = tasks.filter((task) => isRepair(task) && isOver(task) && wasOpen(task.id))
  const { id, status } = changeIn(draft)
  if (ended.length === 0 || !["verifying", "awaiting_approval", "promoting"].includes(status)) return
  if (ended.some((task) => task.status === "completed"))
    Draft.emit(draft, "verification.started", id, { reason: "repaired" })
  Draft.send(draft, dispatchOf(id))
}

/** Nothing happens to a Change that went on meanwhile: it was verifying before, or has ended. */
const complete = (draft: Progress): void => {
  const { change, owesApproval } = draft.before
  if (!mayWork(draft, change, "lastTaskCompleted")) return
  stepWork(draft, change, "lastTaskCompleted", {}, { "verification.started": { reason: "work_graph_completed" } })
  // The gate of a Candidate that was verified before has asked for the approval; only the Change could not wait for it then.
  if (owesApproval) stepWork(draft, change, "approvalNeeded", {})
  // A Change with a Work Graph asks for its Candidate by itself; a person's does so only when asked.
  if (tasksIn(draft).some(isPlanned)) Draft.send(draft, dispatchOf(change.record.id))
}

/** Nobody waits any more for the calls of a run that was ended, or of a Change that was: they count as lost. */
const loseOpenCalls = (draft: Progress): void => {
  const isOver = Lifecycle.isFinal(ChangeLifecycle, changeIn(draft).status)
  const runOf = ({ record }: Commit.Stored<ModelCall>) =>
    record.runId === undefined ? undefined : Draft.writtenAs(draft, "taskRun", record.runId)
  const calls = draft.before.openCalls.filter((call) => isOver || (runOf(call)?.record.endedAt ?? null) !== null)
  const runs = calls.flatMap((call) => runOf(call) ?? [])
  loseCalls(draft, draft.before.change, calls, runs)
}

/** A Change whose work goes on no more by itself says why: who looks after it need not read all its Tasks. */
const tellOfStandstill = (draft: Progress): void => {
  const [before, after] = [draft.before.change.record, changeIn(draft)]
  const known = standstillOf(
    before.status,
    draft.before.tasks.map(({ record }) => record)
  )
  const reason = standstillOf(after.status, tasksIn(draft))
  // What else it says is not for Tasks to take away.
  if (after.reason === reason || (reason === null && (known === null || after.reason !== known))) return
  Draft.update(draft, "change", draft.before.change, { reason, updatedAt: draft.now })
}

/** The commit, with all that follows from what was done in the draft. The writes of the Change come first. */
export const end = (draft: Progress, beside: Parameters<typeof Draft.end>[1]): Commit.Commit => {
  follow(draft)
  loseOpenCalls(draft)
  releaseClaims(draft)
  tellOfStandstill(draft)
  const { change } = draft.before
  if (Draft.newest(draft, "change", change) === change) Draft.update(draft, "change", change, { updatedAt: draft.now })
  const writes = draft.writes.toSorted((one, other) => Number(other.kind === "change") - Number(one.kind === "change"))
  return { ...Draft.end(draft, beside), writes }
}
