/** A ChangeSet: the work of one Task run, as a commit in its own fork. */
import { Schema } from "effect"
import { ChangeId, ChangeSetId, ObjectId, ProjectId, RunId, Sha256, TaskId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"
import { Actor } from "./Actor.ts"

/** One path that differs from the base, and by how many lines. */
export const FileChange = Schema.Struct({
  /** From the root of the tree, with `/` between segments. */
  path: Schema.String,
  /** What became of the file. A file that was renamed is one deleted and one added. */
  status: Schema.Literals(["added", "modified", "deleted"]),
  /** Lines that are new; 0 for a binary file. */
  additions: Schema.Finite,
  /** Lines that are gone; 0 for a binary file. */
  deletions: Schema.Finite
})
export interface FileChange extends Schema.Schema.Type<typeof FileChange> {}

/** What a run says that it reads or writes: a path, a symbol or a route. */
export const Intent = Schema.Struct({
  /** What `value` names. */
  kind: Schema.Literals(["path", "symbol", "route"]),
  /** The path, the symbol, or the route such as `GET /hours`. */
  value: Schema.String,
  /** Whether the run reads it or writes it. */
  mode: Schema.Literals(["read", "write"])
})
export interface Intent extends Schema.Schema.Type<typeof Intent> {}

/** Of a list that is too long for the record: what it comes to, all of it null when there was too much to compare. */
const ListCut = Schema.Struct({
  /** How many files it changes; null when that could not be compared. */
  filesTotal: Schema.NullOr(Schema.Finite),
  /** How many intents it has; null when its files could not be compared. */
  intentsTotal: Schema.NullOr(Schema.Finite),
  /** SHA-256 of the object that holds the whole list: `listKey` says where it lies. */
  digest: Schema.NullOr(Sha256)
})

/** One commit on a base, never changed once it is stored (decisions, "Records"). */
export const ChangeSet = Schema.Struct({
  /** `cs_<run>`: a run publishes at most one. */
  id: ChangeSetId,
  /** The Project that it is of. */
  projectId: ProjectId,
  /** The Change that it is work for. */
  changeId: ChangeId,
  /** The Task that it completes. */
  taskId: TaskId,
  /** The run whose fork `ws-<run>` holds the commit. */
  runId: RunId,
  /** The agent of the Task, or the person who wrote it; `system:rollback` for a rollback. */
  author: Actor,
  /** The generation that the work began on. */
  baseGeneration: Schema.Finite,
  /** The commit that it stands on: of that generation, or of the ChangeSets before it. */
  baseCommit: ObjectId,
  /** Its git commit, in the fork of its run. */
  commit: ObjectId,
  /** The tree of that commit. */
  tree: ObjectId,
  /** All that it changes, unless `cut` is there: then the first of them. */
  files: Schema.Array(FileChange),
  /** What was declared, then what was written besides; all of it unless `cut` is there. */
  intents: Schema.Array(Intent),
  /** Only where `files` or `intents` are not the whole list. */
  cut: Schema.optionalKey(ListCut),
  /** What was done, in the words of its author; 1 to `Limits.messageLength` characters. */
  message: Schema.String,
  /** When it was published. */
  createdAt: Timestamp
})
export interface ChangeSet extends Schema.Schema.Type<typeof ChangeSet> {}
