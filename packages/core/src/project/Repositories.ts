/**
 * Git repositories: one canonical repository per Project, and forks that borrow its objects.
 * All ids are 40 hex characters. Repositories never run hooks, filters or drivers of anyone's content.
 */
import type { Keeping } from "../ledger/Commit.ts"
import { namePaths } from "./Paths.ts"
import { short } from "../primitives/ShortText.ts"
import { type Timestamp, toMillis } from "../primitives/Time.ts"
import { Context, type Effect, Schema, type Stream } from "effect"
import { type FileChange } from "../model/ChangeSet.ts"

/** What a repository is: a Project's canonical line, or one of its forks (`ws-…`, `cand-…`). */
export interface RepositoryRef {
  readonly project: string
  /** `undefined` names the canonical repository. */
  readonly fork?: string
}

/** The text of a file, or its bytes in base64. */
export const FileContent = Schema.Union([Schema.String, Schema.Struct({ base64: Schema.String })])
export type FileContent = typeof FileContent.Type

/** Files by path; `null` deletes. Text is stored as UTF-8. */
export type FileEdits = Readonly<Record<string, FileContent | null>>

/** A path or a mode that no tree of Pawl may hold. */
export class InvalidPath extends Schema.TaggedError<InvalidPath>()("InvalidPath", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The path ${JSON.stringify(short(this.path))} cannot be used: ${this.reason}.`
  }
}

/** The tree has more entries or bytes than Pawl keeps. */
export class TreeTooLarge extends Schema.TaggedError<TreeTooLarge>()("TreeTooLarge", {
  limit: Schema.String,
  max: Schema.Finite,
  actual: Schema.Finite
}) {
  override get message() {
    return `The source would have ${this.actual} where ${this.limit} allows ${this.max}.`
  }
}

/** The repository, commit, tree or path is not there; `what` is which of them, `path` only where its tree is. */
export class ObjectNotFound extends Schema.TaggedError<ObjectNotFound>()("ObjectNotFound", {
  what: Schema.String,
  id: Schema.String
}) {
  override get message() {
    return `There is no ${this.what} ${this.id}.`
  }
}

/** The two sides change the same paths in ways that cannot be merged. */
export class MergeConflict extends Schema.TaggedError<MergeConflict>()("MergeConflict", {
  paths: Schema.Array(Schema.String)
}) {
  override get message() {
    return `Both sides change ${namePaths(this.paths)} in ways that cannot be merged.`
  }
}

/** Canonical main does not contain the commit it should move on from. It was not moved. */
export class NotFastForward extends Schema.TaggedError<NotFastForward>()("NotFastForward", {
  from: Schema.String,
  to: Schema.String
}) {
  override get message() {
    return `main does not contain ${this.from}, from which it was to move on to ${this.to}. It was not moved.`
  }
}

/** git failed for a reason that is not the caller's: disk full, a corrupt object, a killed process. Try again later. */
export class RepositoriesUnavailable extends Schema.TaggedError<RepositoriesUnavailable>()("RepositoriesUnavailable", {
  operation: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `git is away (${this.operation}): ${this.reason}`
  }
}

/** A commit and its tree, as git object ids. */
export interface CommitRef {
  readonly commit: string
  readonly tree: string
}

/** One entry of a tree; `path` is from the root, without a slash in front. */
export interface TreeEntry {
  readonly path: string
  readonly type: "file" | "directory"
  /** Git's object id of the blob or tree. */
  readonly id: string
  /** Bytes; 0 for a directory. */
  readonly size: number
  readonly executable: boolean
}

/** One file of a diff. */
export interface FileDiff extends FileChange {
  /** The unified diff of this file; empty for a binary file. */
  readonly patch: string
}

/** git's unified form of what changed, however long: it is made while it is read. */
export interface DiffText {
  readonly sizeBytes: number
  /** The text as UTF-8, in pieces. Each reading makes it anew, and ends what makes it when it is left early. */
  readonly pieces: Stream.Stream<Uint8Array, RepositoriesUnavailable>
  /** What changed, in the order of the text, without it. */
  readonly changes: Effect.Effect<ReadonlyArray<FileChange>, RepositoriesUnavailable>
}

/** A file, however large: it is read as its pieces are taken. */
export interface FileText {
  readonly sizeBytes: number
  /** Each reading begins anew, and ends what reads when it is left early. */
  readonly pieces: Stream.Stream<Uint8Array, RepositoriesUnavailable>
}

/** Author and committer of a commit, and its date in milliseconds: derived by the caller, so that a commit is reproducible. */
export interface Signature {
  readonly name: string
  readonly email: string
  readonly atMs: number
}

/** Of commits that Pawl itself makes. */
export const signedAt = (moment: Timestamp): Signature => ({
  name: "Pawl",
  email: "pawl@localhost",
  atMs: toMillis(moment)
})

type Unavailable = RepositoriesUnavailable

/** One canonical repository per Project, and forks beside it. Commits and trees are git object ids. */
export class Repositories extends Context.Service<
  Repositories,
  {
    /**
     * Makes the canonical repository, when it is not there, and in it a first commit of these files, kept alive by a ref
     * of its own. `main` is not moved: of several seeds the one that is acknowledged elsewhere becomes `main`, by
     * `begin`. Repeating it answers the same commit.
     */
    readonly seed: (options: {
      readonly project: string
      readonly files: FileEdits
      readonly message: string
      readonly signature: Signature
    }) => Effect.Effect<CommitRef, InvalidPath | TreeTooLarge | Unavailable>
    /**
     * Makes canonical `main`, at a seeded commit. Where `main` is at that commit or beyond it, nothing happens. A `main`
     * at another first commit is of a seed that nobody acknowledged, and is replaced; any other one fails with
     * `NotFastForward`.
     */
    readonly begin: (options: {
      readonly project: string
      readonly commit: string
    }) => Effect.Effect<void, NotFastForward | ObjectNotFound | Unavailable>
    /**
     * Makes an empty fork that borrows canonical's objects. A fork that exists is left as it is. One that is `passing` need not
     * outlast the process, or a power cut, before something was written to it: then all of it does. Default: `lasting`.
     */
    readonly fork: (
      ref: RepositoryRef & { readonly fork: string },
      keeping?: Keeping
    ) => Effect.Effect<void, ObjectNotFound | Unavailable>
    /**
     * Commits edits on a base commit inside a fork. The base is looked up in the fork and canonical; when it
     * lives in another fork, name that in `from` and it is fetched first. The commit is kept alive by a ref of its own.
     * An edit that changes nothing gives a commit with the base's tree.
     */
    readonly commit: (options: {
      readonly into: RepositoryRef & { readonly fork: string }
      readonly base: string
      readonly from?: ReadonlyArray<RepositoryRef>
      readonly edits: FileEdits
      readonly message: string
      readonly signature: Signature
    }) => Effect.Effect<CommitRef, InvalidPath | TreeTooLarge | ObjectNotFound | Unavailable>
    /**
     * Merges commits, in order, onto a base inside a fork, without a worktree. Each is fetched from its own fork.
     * Each merge is a commit whose second parent is the merged commit. A commit that the line holds already is skipped.
     * `contents` are files as the merge is to have them, by path, whatever the two sides have there: they do not conflict.
     * The base is looked up as `commit` does: it may live in another fork, named in `from`, which may be removed afterwards.
     */
    readonly merge: (options: {
      readonly into: RepositoryRef & { readonly fork: string }
      readonly base: string
      readonly from?: ReadonlyArray<RepositoryRef>
      readonly commits: ReadonlyArray<{
        readonly commit: string
        readonly from: RepositoryRef
        readonly message: string
        readonly contents?: ReadonlyMap<string, Uint8Array>
      }>
      readonly signature: Signature
    }) => Effect.Effect<CommitRef, MergeConflict | InvalidPath | TreeTooLarge | ObjectNotFound | Unavailable>
    /** Makes a commit with this tree and these parents inside a fork; used by a rollback. */
    readonly commitTree: (options: {
      readonly into: RepositoryRef & { readonly fork: string }
      readonly tree: string
      readonly parents: ReadonlyArray<string>
      readonly message: string
      readonly signature: Signature
    }) => Effect.Effect<CommitRef, ObjectNotFound | Unavailable>
    /** The tree of a commit. */
    readonly resolve: (ref: RepositoryRef, commit: string) => Effect.Effect<CommitRef, ObjectNotFound | Unavailable>
    /** The parents of a commit, in order; none of a first commit. */
    readonly parents: (
      ref: RepositoryRef,
      commit: string
    ) => Effect.Effect<ReadonlyArray<string>, ObjectNotFound | Unavailable>
    /**
     * Merges the contents of one file, apart from every tree: what two sides made of `base`. Null when they conflict,
     * and when one of them is binary. An audit derives trees by it, so it shares no code with `merge`.
     */
    readonly mergeFile: (
      ref: RepositoryRef,
      contents: { readonly base: Uint8Array; readonly ours: Uint8Array; readonly theirs: Uint8Array }
    ) => Effect.Effect<Uint8Array | null, ObjectNotFound | Unavailable>
    /** The commit of canonical `main`. */
    readonly main: (project: string) => Effect.Effect<CommitRef, ObjectNotFound | Unavailable>
    /** Fetches a commit from a fork and moves canonical `main` to it, only forward. Moving to where it is succeeds. */
    readonly advance: (options: {
      readonly project: string
      readonly from: RepositoryRef & { readonly fork: string }
      readonly expected: string
      readonly commit: string
    }) => Effect.Effect<void, NotFastForward | ObjectNotFound | Unavailable>
    /** All entries of a tree, directories included, in path order. At most `Limits.sourceEntries`. */
    readonly list: (
      ref: RepositoryRef,
      tree: string
    ) => Effect.Effect<ReadonlyArray<TreeEntry>, ObjectNotFound | TreeTooLarge | Unavailable>
    /** The bytes of one file. */
    readonly read: (
      ref: RepositoryRef,
      tree: string,
      path: string
    ) => Effect.Effect<Uint8Array, ObjectNotFound | InvalidPath | Unavailable>
    /** One file in pieces. Nothing of it is kept but a short one. */
    readonly open: (
      ref: RepositoryRef,
      tree: string,
      path: string
    ) => Effect.Effect<FileText, ObjectNotFound | InvalidPath | Unavailable>
    /** The bytes of all files of a tree, within `Limits.sourceTotalBytes`. */
    readonly files: (
      ref: RepositoryRef,
      tree: string
    ) => Effect.Effect<
      ReadonlyMap<string, { readonly content: Uint8Array; readonly executable: boolean }>,
      ObjectNotFound | TreeTooLarge | Unavailable
    >
    /**
     * What changed between two trees or commits, with renames as a deletion and an addition. With `within`: at that path,
     * and below it; nothing for one that no file can have.
     */
    readonly diff: (
      ref: RepositoryRef,
      from: string,
      to: string,
      within?: string
    ) => Effect.Effect<ReadonlyArray<FileDiff>, ObjectNotFound | TreeTooLarge | Unavailable>
    /** git's unified form of the same. Nothing of it is kept but a short one. */
    readonly diffText: (
      ref: RepositoryRef,
      from: string,
      to: string,
      within?: string
    ) => Effect.Effect<DiffText, ObjectNotFound | TreeTooLarge | Unavailable>
    /** Joins what a repository's objects lie in, where that is in many pieces. Nothing that anyone reads changes. */
    readonly compact: (ref: RepositoryRef) => Effect.Effect<void, ObjectNotFound | Unavailable>
    /** Deletes a fork, or the canonical repository with every fork that is left. Deleting what is not there succeeds. */
    readonly remove: (ref: RepositoryRef) => Effect.Effect<void, Unavailable>
  }
>()("@pawl/core/project/Repositories") {}
