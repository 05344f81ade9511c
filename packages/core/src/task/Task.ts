/** A Task: one node of a Change's Work Graph, worked by one agent or held by one person. */
import { Schema } from "effect"
import { ChangeId, ProjectId, RunId, TaskId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

export const taskStatuses = [
  "pending",
  "ready",
  "assigned",
  "running",
  "completed",
  "failed",
  "blocked",
  "cancelled"
] as const
export const TaskStatus = Schema.Literal(...taskStatuses)
export type TaskStatus = typeof TaskStatus.Type

/** Kinds with a writable workspace, then the read-only ones. */
export const TaskKind = Schema.Literal("implement", "migrate", "test", "research", "review", "docs-review")
export type TaskKind = typeof TaskKind.Type
export const isWritable = (kind: TaskKind): boolean => kind === "implement" || kind === "migrate" || kind === "test"

export const Complexity = Schema.Literal("small", "medium", "large")
export type Complexity = typeof Complexity.Type
/** Weakest first. */
export const ModelTier = Schema.Literal("fast", "balanced", "strong")
export type ModelTier = typeof ModelTier.Type

export const Task = Schema.Struct({
  id: TaskId,
  projectId: ProjectId,
  changeId: ChangeId,
  key: Schema.String,
  title: Schema.String,
  kind: TaskKind,
  complexity: Complexity,
  dependsOn: Schema.Array(Schema.String),
  status: TaskStatus,
  attempt: Schema.Number,
  tier: Schema.NullOr(ModelTier),
  reason: Schema.NullOr(Schema.String),
  createdAt: Timestamp,
  updatedAt: Timestamp
})
export interface Task extends Schema.Schema.Type<typeof Task> {}

export const TaskRun = Schema.Struct({
  id: RunId,
  projectId: ProjectId,
  changeId: ChangeId,
  taskId: TaskId,
  attempt: Schema.Number,
  tier: Schema.NullOr(ModelTier),
  workspaceFork: Schema.NullOr(Schema.String),
  baseCommit: Schema.String,
  startedAt: Timestamp,
  endedAt: Schema.NullOr(Timestamp),
  outcome: Schema.NullOr(Schema.String),
  modelCalls: Schema.Number,
  cost_usd: Schema.Number,
  forkDeletedAt: Schema.NullOr(Timestamp)
})
export interface TaskRun extends Schema.Schema.Type<typeof TaskRun> {}
