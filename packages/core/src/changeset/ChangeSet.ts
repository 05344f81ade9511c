/** A ChangeSet: the work of one Task run, as a commit in its own fork. */
import { Schema } from "effect"
import { ChangeId, ChangeSetId, ObjectId, ProjectId, RunId, TaskId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"
import { Actor } from "../access/Actor.ts"

export const FileChange = Schema.Struct({
  path: Schema.String,
  status: Schema.Literal("added", "modified", "deleted"),
  /** Lines; 0 for a binary file. */
  additions: Schema.Number,
  deletions: Schema.Number
})
export interface FileChange extends Schema.Schema.Type<typeof FileChange> {}

export const Intent = Schema.Struct({
  kind: Schema.Literal("path", "symbol", "route"),
  value: Schema.String,
  mode: Schema.Literal("read", "write")
})
export interface Intent extends Schema.Schema.Type<typeof Intent> {}

export const ChangeSet = Schema.Struct({
  id: ChangeSetId,
  projectId: ProjectId,
  changeId: ChangeId,
  taskId: TaskId,
  runId: RunId,
  author: Actor,
  baseGeneration: Schema.Number,
  baseCommit: ObjectId,
  commit: ObjectId,
  tree: ObjectId,
  files: Schema.Array(FileChange),
  intents: Schema.Array(Intent),
  message: Schema.String,
  createdAt: Timestamp
})
export interface ChangeSet extends Schema.Schema.Type<typeof ChangeSet> {}
