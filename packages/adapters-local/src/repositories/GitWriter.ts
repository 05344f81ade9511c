/** What all that changes repositories needs: its Project's queue, behind a sweep the first time, and the writing of objects. */
import { Cause, Effect, Option } from "effect"
import { type CommitRef, RepositoriesUnavailable, type RepositoryRef } from "@pawl/core/project/Repositories"
import type { Keeping } from "@pawl/core/ledger/Commit"
import { folder } from "./FolderAside.ts"
import { exists, isUnsettled } from "./FolderFiles.ts"
import { io, sweep } from "./GitFolder.ts"
import { commitObject, type GitObject } from "./GitObjects.ts"
import type { GitReaders } from "./GitReaders.ts"
import * as KnownCommits from "./KnownCommits.ts"
import type { EditedTree } from "./GitTree.ts"
import type { KnownTrees } from "./KnownTrees.ts"
import type { ProjectLocks } from "./locks/ProjectLocks.ts"
import { repositoryPath, type RepositoryPath } from "./RepositoryPath.ts"

type CommitFields = Parameters<typeof commitObject>[0]

/** What writes in one root, shared by all methods that change a repository. */
export interface GitWriter {
  readonly readers: GitReaders
  /** Whether canonical's packs are joined as they become many. Not where they are counted by somebody else. */
  readonly rollsUp: boolean
  readonly keeping: Keeping
  /** The same of one repository: what is not settled yet is so with all that is written to it. */
  readonly keepingOf: (path: RepositoryPath) => Keeping
  /** Of git's, for what writes. */
  readonly settings: ReadonlyArray<string>
  readonly known: KnownTrees
  readonly commits: KnownCommits.KnownCommits
  readonly path: (ref: RepositoryRef) => Effect.Effect<RepositoryPath>
  /** Does the work alone in the Project. */
  readonly alone: GitWriter["writing"]
  /** The same, and what it wrote to outlasts a power cut when it is done. */
  readonly writing: <A, E>(
    ref: RepositoryRef,
    work: (path: RepositoryPath) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E | RepositoriesUnavailable>
  /** Gives a fork the objects of another. Canonical's it has; what is gone it does without. */
  readonly fetch: (into: RepositoryPath, from: RepositoryRef) => Effect.Effect<void, RepositoriesUnavailable>
  /** Writes a commit and the objects that are new with its tree. */
  readonly write: (
    path: RepositoryPath,
    tree: EditedTree,
    commit: Omit<CommitFields, "tree">
  ) => Effect.Effect<CommitRef, RepositoriesUnavailable>
  /** Writes a commit, and the few objects of its tree that are not there: those of a merge, or none. */
  readonly writeCommit: (
    path: RepositoryPath,
    commit: CommitFields,
    objects?: ReadonlyArray<GitObject>
  ) => Effect.Effect<CommitRef, RepositoriesUnavailable>
}

/** Whether the work ended by its own answer, with all that it started. */
const isRefusal = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(Cause.findErrorOption(cause), (error) => !(error instanceof RepositoriesUnavailable))

/** git's settings where nothing need outlast a power cut. */
export const passing: ReadonlyArray<string> = ["core.fsync=none"]

const settle = ({ gitDir }: RepositoryPath) =>
  Effect.suspend(() => (isUnsettled(gitDir) ? io("settle", () => folder.settle(gitDir)) : Effect.void))

/** Sweeps each repository once, before the first write to it. */
export const make = (options: {
  readonly root: string
  readonly readers: GitReaders
  readonly known: KnownTrees
  readonly locks: ProjectLocks
  readonly rollsUp: boolean
  readonly keeping: Keeping
}): GitWriter => {
  const { keeping, known, locks, readers, rollsUp, root } = options
  const settings = keeping === "passing" ? passing : []
  const commits = KnownCommits.make(readers)
  // Repositories whose leavings of an earlier process are gone.
  const swept = new Set<string>()
  const sweepOnce = (path: RepositoryPath) =>
    swept.has(path.gitDir)
      ? Effect.void
      : Effect.andThen(
          io("sweep", () => sweep(path)),
          Effect.sync(() => swept.add(path.gitDir))
        )

  const keepingOf = ({ gitDir }: RepositoryPath): Keeping =>
    keeping === "lasting" && isUnsettled(gitDir) ? "passing" : keeping

  const alone = <A, E>(
    ref: RepositoryRef,
    work: (path: RepositoryPath) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | RepositoriesUnavailable> =>
    Effect.flatMap(repositoryPath(root, ref), (path) =>
      locks.writing(ref.project)(
        Effect.onError(Effect.andThen(sweepOnce(path), work(path)), (cause) =>
          // A git that was stopped leaves a lock behind: the next one in the queue sweeps again.
          Effect.sync(() => (isRefusal(cause) ? false : swept.delete(path.gitDir)))
        )
      )
    )

  const writing: GitWriter["writing"] = (ref, work) => alone(ref, (path) => Effect.tap(work(path), () => settle(path)))

  const written = (commit: CommitFields, writes: (object: GitObject) => Promise<void>) => {
    const object = commitObject(commit)
    return Effect.map(
      io("write", () => writes(object)),
      (): CommitRef => {
        known.add(object.id, commit.tree)
        commits.add(object.id, { tree: commit.tree, parents: commit.parents })
        return { commit: object.id, tree: commit.tree }
      }
    )
  }

  return {
    readers,
    rollsUp,
    keeping,
    keepingOf,
    settings,
    known,
    commits,
    path: (ref) => repositoryPath(root, ref),
    alone,
    writing,
    fetch: (into, from) =>
      Effect.gen(function* () {
        const source = yield* repositoryPath(root, from)
        if (!source.isFork || source.gitDir === into.gitDir || !(yield* io("open", () => exists(source.gitDir)))) return
        yield* settle(source)
        yield* io("fetch", () => folder.shareObjects(source.gitDir, into.gitDir, keepingOf(into)))
      }),
    write: (path, { objects, tree }, commit) =>
      written({ ...commit, tree }, (object) => folder.writePack(path.gitDir, [...objects, object], keepingOf(path))),
    writeCommit: (path, commit, objects = []) =>
      // As one pack it is given on in one step, to the next of a line; where packs are counted each lies alone.
      written(commit, (object) =>
        (rollsUp ? folder.writePack : folder.writeLoose)(path.gitDir, [...objects, object], keepingOf(path))
      )
  }
}
