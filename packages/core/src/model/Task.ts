/** A Task: one node of a Change's Work Graph, worked by one agent or held by one person. */
import { Schema } from "effect"
import { ChangeId, ProjectId, RunId, TaskId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

/** Each status that a Task can have (specification, "Task status"). */
export const taskStatuses = [
  /** It waits for Tasks that it depends on. */
  "pending",
  /** It waits for an agent. */
  "ready",
  /** An agent was admitted and has not begun. */
  "assigned",
  /** An agent works on it. */
  "running",
  /** Its work is there, as a ChangeSet or as findings. */
  "completed",
  /** It failed for good. */
  "failed",
  /** It waits for a Task, for its budget, or for a person: `blockedBy` says which. */
  "blocked",
  /** It ended with its Change. */
  "cancelled"
] as const
/** One of `taskStatuses`. */
export const TaskStatus = Schema.Literals(taskStatuses)
export type TaskStatus = typeof TaskStatus.Type

/** Kinds with a writable workspace, then the read-only ones. */
export const TaskKind = Schema.Literals(["implement", "migrate", "test", "research", "review", "docs-review"])
export type TaskKind = typeof TaskKind.Type
/** Whether a Task of this kind may publish a ChangeSet. The others only answer. */
export const isWritable = (kind: TaskKind): boolean => kind === "implement" || kind === "migrate" || kind === "test"

/** How much work the planner expects. The tier of model is chosen by it, and by the kind of Task. */
export const Complexity = Schema.Literals(["small", "medium", "large"])
export type Complexity = typeof Complexity.Type
/** Weakest first. */
export const ModelTier = Schema.Literals(["fast", "balanced", "strong"])
export type ModelTier = typeof ModelTier.Type

/** Why a Task is blocked: what it takes to go on is told by this. */
export const BlockedBy = Schema.Literals(["dependency", "dead_letter", "budget"])
export type BlockedBy = typeof BlockedBy.Type

/** `key` is unique in its Change; `dependsOn` names keys of the same Change. */
export const Task = Schema.Struct({
  id: TaskId,
  projectId: ProjectId,
  changeId: ChangeId,
  /** Its name in the Work Graph. */
  key: Schema.String,
  /** One line, for people. */
  title: Schema.String,
  kind: TaskKind,
  complexity: Complexity,
  /** Keys of the Tasks that must be completed first. */
  dependsOn: Schema.Array(Schema.String),
  status: TaskStatus,
  /** How many runs it has had. */
  attempt: Schema.Finite,
  /** The tier of model that works it; null for a Task that a person holds. */
  tier: Schema.NullOr(ModelTier),
  reason: Schema.NullOr(Schema.String),
  /** Set while it is blocked. */
  blockedBy: Schema.optionalKey(Schema.NullOr(BlockedBy)),
  createdAt: Timestamp,
  updatedAt: Timestamp
})
export interface Task extends Schema.Schema.Type<typeof Task> {}

/** Whether it stands in the Work Graph, for an agent; else a person holds it. */
export const isPlanned = (task: Task): boolean => task.tier !== null
/** Whether an agent is at it: these count against the slots of the Change. */
export const isActive = (task: Task): boolean => task.status === "assigned" || task.status === "running"

/** One attempt at a Task. */
export const TaskRun = Schema.Struct({
  id: RunId,
  projectId: ProjectId,
  changeId: ChangeId,
  taskId: TaskId,
  attempt: Schema.Finite,
  tier: Schema.NullOr(ModelTier),
  workspaceFork: Schema.NullOr(Schema.String),
  /** The canonical commit that it started from, and its generation (an agent's run). */
  baseCommit: Schema.String,
  baseGeneration: Schema.optionalKey(Schema.Finite),
  startedAt: Timestamp,
  endedAt: Schema.NullOr(Timestamp),
  /** `completed`, `retried`, `escalated`, `failed`, `stopped`, `dead_lettered` or `cancelled`; null while it goes on. */
  outcome: Schema.NullOr(Schema.String),
  /** Why it did not complete, in words. */
  reason: Schema.optionalKey(Schema.NullOr(Schema.String)),
  modelCalls: Schema.Finite,
  cost_usd: Schema.Finite,
  forkDeletedAt: Schema.NullOr(Timestamp)
})
export interface TaskRun extends Schema.Schema.Type<typeof TaskRun> {}
