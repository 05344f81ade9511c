/**
 * What follows when Tasks move: dependents become ready, blocked or pending again, a free slot wakes who waits for it,
 * the last Task takes its Change on. One pure place, for agents, people, operators and cancels alike.
 *
 * Every commit made here writes the Change, so its revision guards all rules about the set of its Tasks.
 */
import type { Actor } from "../model/Actor.ts"
import type { Change, ChangeStatus } from "../model/Change.ts"
import { ChangeLifecycle } from "../model/ChangeLifecycle.ts"
import { dispatchOf } from "../change/Changes.ts"
import { commandId, type NewCommand } from "../model/Command.ts"
import type { NewEvent } from "../model/Event.ts"
import * as Commit from "../ledger/Commit.ts"
import * as Lifecycle from "../model/Lifecycle.ts"
import type * as Time from "../primitives/Time.ts"
import { isActive, isPlanned, type Task } from "../model/Task.ts"
import { TaskLifecycle } from "../model/TaskLifecycle.ts"

/** A Change and all its Tasks in order of insertion, as they were read. */
export interface Snapshot {
  readonly change: Commit.Stored<Change>
  readonly tasks: ReadonlyArray<Commit.Stored<Task>>
  /** Whether a verified Candidate of it owes an approval that nobody has granted. */
  readonly owesApproval: boolean
}

type TaskTrigger = (typeof TaskLifecycle.rows)[number]["trigger"]
type ChangeTrigger = (typeof ChangeLifecycle.rows)[number]["trigger"]

interface TaskDraft {
  record: Task
  revision: number
}

/** A commit in the making. */
export interface Draft {
  readonly before: Snapshot
  readonly now: Time.Timestamp
  readonly actor: Actor
  change: Change
  readonly changeSteps: Array<Change>
  readonly tasks: Array<TaskDraft>
  readonly writes: Array<Commit.Write>
  readonly events: Array<NewEvent>
  readonly commands: Array<NewCommand>
}

export const begin = (before: Snapshot, actor: Actor, now: Time.Timestamp): Draft => ({
  before,
  now,
  actor,
  change: before.change.record,
  changeSteps: [],
  tasks: before.tasks.map((task) => ({ ...task })),
  writes: [],
  events: [],
  commands: []
})

/** The status by which Tasks go on: while a promotion is decided, the one that a refusal leads back to. */
export const workStatus = (change: Change): ChangeStatus =>
  change.status === "promoting" ? (change.statusBeforePromoting ?? change.status) : change.status

export const emit = (draft: Draft, event: Omit<NewEvent, "actor">): void => {
  draft.events.push({ ...event, actor: draft.actor })
}

/** New fields of the Change, without a step of its life. */
export const setChange = (draft: Draft, fields: Partial<Change>): void => {
  draft.change = { ...draft.change, ...fields, updatedAt: draft.now }
  draft.changeSteps.push(draft.change)
}

/** Takes the Change a step on, and answers whether its life has that step. During a promotion it is the status to return to that moves. */
export const moveChange = (draft: Draft, trigger: ChangeTrigger, fields: Partial<Change> = {}): boolean => {
  const next = Lifecycle.next(ChangeLifecycle, workStatus(draft.change), trigger)
  if (next._tag === "Failure") return false
  const promoting = draft.change.status === "promoting"
  setChange(draft, { ...fields, ...(promoting ? { statusBeforePromoting: next.success } : { status: next.success }) })
  return true
}

/** Takes a Task a step on, and answers it as it is then; null when its life has no such step. */
export const moveTask = (draft: Draft, id: string, trigger: TaskTrigger, fields: Partial<Task> = {}): Task | null => {
  const task = draft.tasks.find((each) => each.record.id === id)
  if (task === undefined) return null
  const next = Lifecycle.next(TaskLifecycle, task.record.status, trigger)
  if (next._tag === "Failure") return null
  const record: Task = {
    ...task.record,
    reason: null,
    ...fields,
    blockedBy: next.success === "blocked" ? (fields.blockedBy ?? "dependency") : null,
    status: next.success,
    updatedAt: draft.now
  }
  draft.writes.push(Commit.update("task", { record: task.record, revision: task.revision }, record))
  task.record = record
  task.revision += 1
  if (record.status === "ready" && trigger !== "deferred") announceReady(draft, record)
  return record
}

/** A Task that begins in one of the initial states. */
export const addTask = (draft: Draft, task: Task): void => {
  draft.tasks.push({ record: task, revision: 1 })
  draft.writes.push(Commit.insert("task", task))
}

export const announceReady = (draft: Draft, task: Task): void => {
  emit(draft, { type: "task.ready", subject: task.id, data: { changeId: task.changeId, key: task.key } })
  wake(draft, task)
}

/** One wake per ready Task. While the budget stands in the way none is sent: raising it sends them. */
const wake = (draft: Draft, task: Task): void => {
  if (workStatus(draft.change) !== "running") return
  const id = commandId("agent.wake", task.id)
  if (!draft.commands.some((command) => command.id === id))
    draft.commands.push({ kind: "agent.wake", id, payload: { taskId: task.id } })
}

const stopped = (task: Task): boolean => task.status === "failed" || task.status === "blocked"

/** One step that follows from where the dependencies of a Task are; false when nothing does. */
const followOne = (draft: Draft, task: Task): boolean => {
  const needed = draft.tasks.map((each) => each.record).filter((each) => task.dependsOn.includes(each.key))
  const obstacle = needed.find(stopped)
  if (task.status === "pending" && obstacle !== undefined)
    return (
      moveTask(draft, task.id, "dependencyFailed", {
        blockedBy: "dependency",
        reason: `it depends on ${obstacle.key}, which is ${obstacle.status}`
      }) !== null
    )
  if (task.status === "pending" && needed.every((each) => each.status === "completed"))
    return moveTask(draft, task.id, "dependenciesCompleted") !== null
  if (task.status === "blocked" && task.blockedBy === "dependency" && obstacle === undefined)
    return moveTask(draft, task.id, "dependencyRevived") !== null
  return false
}

const activeIn = (tasks: ReadonlyArray<{ readonly record: Task }>): number =>
  tasks.filter(({ record }) => isActive(record)).length

/** Everything that follows, until nothing more does. */
const follow = (draft: Draft): void => {
  // Each pass settles at least one Task; the graph has no cycle, so no Task goes round.
  for (let moved = true; moved;) {
    moved = false
    for (const task of draft.tasks) while (followOne(draft, task.record)) moved = true
  }
  const slotFreed = activeIn(draft.tasks) < activeIn(draft.before.tasks)
  const resumed = workStatus(draft.before.change.record) !== "running"
  if (slotFreed || resumed) for (const { record } of draft.tasks) if (record.status === "ready") wake(draft, record)
  if (draft.tasks.length > 0 && draft.tasks.every(({ record }) => record.status === "completed")) complete(draft)
}

const complete = (draft: Draft): void => {
  if (!moveChange(draft, "lastTaskCompleted")) return
  emit(draft, {
    type: "verification.started",
    subject: draft.change.id,
    data: { reason: "work_graph_completed" }
  })
  // The gate of a Candidate that was verified before has asked for the approval; only the Change could not wait for it then.
  if (draft.before.owesApproval) moveChange(draft, "approvalNeeded")
  // A Change with a Work Graph asks for its Candidate by itself; a person's does so only when asked.
  if (draft.tasks.some(({ record }) => isPlanned(record))) draft.commands.push(dispatchOf(draft.change.id))
}

const changeWrites = (draft: Draft): ReadonlyArray<Commit.Write> => {
  const steps = draft.changeSteps.length > 0 ? draft.changeSteps : [{ ...draft.change, updatedAt: draft.now }]
  const { record, revision } = draft.before.change
  return steps.map((step, index) =>
    Commit.update("change", { record: index === 0 ? record : steps[index - 1]!, revision: revision + index }, step)
  )
}

/** The commit, with all that follows from what was done in the draft. */
export const end = (draft: Draft, commit: Omit<Commit.Commit, "projectId" | "events" | "commands">): Commit.Commit => {
  follow(draft)
  return {
    ...commit,
    projectId: draft.change.projectId,
    actor: draft.actor,
    writes: [...changeWrites(draft), ...draft.writes, ...(commit.writes ?? [])],
    events: draft.events,
    commands: draft.commands
  }
}
