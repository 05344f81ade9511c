/** A ChangeSet: the work of one Task run, as a commit in its own fork. */
import { Schema } from "effect"
import { ChangeId, ChangeSetId, ObjectId, ProjectId, RunId, Sha256, TaskId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"
import { Actor } from "./Actor.ts"

/** One path that differs from the base, and by how many lines. */
export const FileChange = Schema.Struct({
  path: Schema.String,
  status: Schema.Literals(["added", "modified", "deleted"]),
  /** Lines; 0 for a binary file. */
  additions: Schema.Finite,
  deletions: Schema.Finite
})
export interface FileChange extends Schema.Schema.Type<typeof FileChange> {}

/** What a run says that it reads or writes: a path, a symbol or a route. */
export const Intent = Schema.Struct({
  kind: Schema.Literals(["path", "symbol", "route"]),
  value: Schema.String,
  mode: Schema.Literals(["read", "write"])
})
export interface Intent extends Schema.Schema.Type<typeof Intent> {}

/** Of a list that is too long for the record: what it comes to, all of it null when there was too much to compare. */
const ListCut = Schema.Struct({
  filesTotal: Schema.NullOr(Schema.Finite),
  intentsTotal: Schema.NullOr(Schema.Finite),
  /** Of the object that holds the whole. */
  digest: Schema.NullOr(Sha256)
})

/** One commit on a base, never changed once it is stored. `commit` and `tree` are git object ids. */
export const ChangeSet = Schema.Struct({
  id: ChangeSetId,
  projectId: ProjectId,
  changeId: ChangeId,
  taskId: TaskId,
  runId: RunId,
  author: Actor,
  baseGeneration: Schema.Finite,
  baseCommit: ObjectId,
  commit: ObjectId,
  tree: ObjectId,
  /** All that it changes, unless `cut` is there: then the first of them. */
  files: Schema.Array(FileChange),
  /** What was declared, then what was written besides; all of it unless `cut` is there. */
  intents: Schema.Array(Intent),
  /** Only where `files` or `intents` are not the whole list. */
  cut: Schema.optionalKey(ListCut),
  message: Schema.String,
  createdAt: Timestamp
})
export interface ChangeSet extends Schema.Schema.Type<typeof ChangeSet> {}
