/** A person's work as a Task and a run: of a Task that they hold, or of one that their edit makes. */
import { Effect, Schema } from "effect"
import { NoSource } from "../app/Apps.ts"
import { compositionOrder } from "../change/WorkGraph.ts"
import { find } from "../ledger/Decision.ts"
import { generationKey } from "../model/Entities.ts"
import { Unknown } from "../ledger/Refusals.ts"
import type { Actor } from "../model/Actor.ts"
import type { Change } from "../model/Change.ts"
import type { ChangeSet } from "../model/ChangeSet.ts"
import * as Lifecycle from "../model/Lifecycle.ts"
import { isHeld, type Task, type TaskRun } from "../model/Task.ts"
import { TaskLifecycle } from "../model/TaskLifecycle.ts"
import { runId, taskId, workspaceFork } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import type * as Time from "../primitives/Time.ts"
import { RepositoriesUnavailable, type RepositoryRef } from "../project/Repositories.ts"
import { beyondMain } from "../project/SourceSync.ts"
import { TaskClosed } from "../task/Interventions.ts"
import type { Snapshot } from "../task/Progress.ts"
import { dependenciesOf, prepare } from "../task/Workspaces.ts"

/** The Task is not this person's to complete. Take it over first. */
export class TaskNotHeld extends Schema.TaggedError<TaskNotHeld>()("TaskNotHeld", {
  taskId: Schema.String,
  /** Id of the user who holds it; null for nobody. */
  heldBy: Schema.NullOr(Schema.String)
}) {
  override get message() {
    return `${this.taskId} is ${this.heldBy === null ? "not held by you" : `held by ${this.heldBy}`}. Ask for it first (hand-over).`
  }
}

/** What the Task depends on does not go together, so there is nothing that its work could begin with. */
export class TaskNotWorkable extends Schema.TaggedError<TaskNotWorkable>()("TaskNotWorkable", {
  taskId: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.taskId} cannot be worked: ${this.reason}. Send the ChangeSet with a baseGeneration, and it begins there.`
  }
}

/** The Task of this Change that a person's ChangeSet is to complete. Fails with `Unknown`, `TaskClosed` or `TaskNotHeld`. */
export const heldTask = Effect.fnUntraced(function* (snapshot: Snapshot, id: string, actor: Actor) {
  const task = snapshot.tasks.find(({ record }) => record.id === id)?.record
  // Through another Change's path the Task does not exist.
  if (task === undefined) return yield* new Unknown({ kind: "task", id })
  if (Lifecycle.isFinal(TaskLifecycle, task.status)) return yield* new TaskClosed({ taskId: id, status: task.status })
  const heldBy = isHeld(task) ? (task.heldBy ?? null) : null
  if (heldBy !== actor.id) return yield* new TaskNotHeld({ taskId: id, heldBy })
  return task
})

/** The Task that an edit makes by itself, as it is when the edit is recorded. */
export const editTask = (change: Change, number: number, message: string, now: Time.Timestamp): Task => ({
  id: taskId(change.id, `edit-${number}`),
  projectId: change.projectId,
  changeId: change.id,
  key: `edit-${number}`,
  title: message.split("\n")[0]!.slice(0, Limits.taskTitleLength),
  kind: "implement",
  complexity: "small",
  dependsOn: [],
  status: "completed",
  attempt: 1,
  tier: null,
  reason: null,
  createdAt: now,
  updatedAt: now
})

/** A person's attempt at a Task, over as it is recorded. */
export const personRun = (task: Task, attempt: number, baseCommit: string, now: Time.Timestamp): TaskRun => ({
  id: runId(task.id, attempt),
  projectId: task.projectId,
  changeId: task.changeId,
  taskId: task.id,
  attempt,
  tier: null,
  workspaceFork: workspaceFork(runId(task.id, attempt)),
  baseCommit,
  startedAt: now,
  endedAt: now,
  outcome: "completed",
  modelCalls: 0,
  costUsd: 0,
  forkDeletedAt: null
})

/** What a person's work begins with: a commit and its tree, and where else its objects lie. */
export interface Base {
  readonly generation: number
  readonly commit: string
  readonly tree: string
  readonly from: ReadonlyArray<RepositoryRef>
}

/** The generation that was asked for, this person's newest ChangeSet, or the head. Fails with `NoSource` or `Unknown`. */
export const baseOf = Effect.fnUntraced(function* (
  change: Change,
  baseGeneration: number | undefined,
  newest: ChangeSet | undefined
) {
  const head = yield* find("head", change.projectId)
  if (head === null) return yield* new NoSource({ projectId: change.projectId })
  if (baseGeneration !== undefined || newest === undefined) {
    const wanted = baseGeneration ?? head.record.generation
    const generation = yield* find("generation", generationKey(change.projectId, wanted))
    if (generation === null) return yield* new Unknown({ kind: "generation", id: String(wanted) })
    return { ...generation.record, from: beyondMain(head.record, generation.record) } as Base
  }
  const from = [{ project: change.projectId, fork: workspaceFork(newest.runId) }]
  return { generation: newest.baseGeneration, commit: newest.commit, tree: newest.tree, from } as Base
})

/** The ChangeSets, out of those of a Change, of all that a Task depends on. */
export const inherited = (snapshot: Snapshot, task: Task, changeSets: ReadonlyArray<ChangeSet>) => {
  const tasks = snapshot.tasks.map(({ record }) => record)
  const needed = new Set<string>(dependenciesOf(task, tasks).map(({ id }) => id))
  return changeSets.filter((each) => needed.has(each.taskId))
}

/** What the ledger names is there: what is missing is the repository that holds it. */
const away = (reason: string) => new RepositoriesUnavailable({ operation: "merge", reason })

/**
 * The head with these ChangeSets, as an agent's work on the Task would begin, merged in the fork of the run. Fails with
 * `NoSource` or `TaskNotWorkable`.
 */
export const stackedBase = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  task: Task,
  attempt: number,
  changeSets: ReadonlyArray<ChangeSet>,
  now: Time.Timestamp
) {
  const head = yield* find("head", task.projectId)
  if (head === null) return yield* new NoSource({ projectId: task.projectId })
  const tasks = snapshot.tasks.map(({ record }) => record)
  const run = personRun(task, attempt, head.record.commit, now)
  const source = yield* prepare(task, run, compositionOrder(changeSets, tasks)).pipe(
    Effect.catchTags({
      ObjectNotFound: ({ id, what }) => away(`${what} ${id} is gone`),
      NotFastForward: ({ from }) => away(`main is at ${from}, not at the head`)
    })
  )
  if (source._tag === "Impossible") return yield* new TaskNotWorkable({ taskId: task.id, reason: source.reason })
  return { generation: head.record.generation, commit: source.commit, tree: source.tree, from: [] } as Base
})
