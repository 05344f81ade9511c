/** The canonical repository: its first commit, and `main`, which only moves forward. */
import { Effect } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import {
  type CommitRef,
  NotFastForward,
  ObjectNotFound,
  type Repositories,
  type RepositoriesUnavailable
} from "@pawl/core/project/Repositories"
import { pipe, succeed } from "./GitCommand.ts"
import { folder } from "./FolderAside.ts"
import { countPacks, io, readMain, writeMain } from "./GitFolder.ts"
import { lookupCommit, lookupParents, lookupType, present } from "./GitLookup.ts"
import { isAncestor } from "./GitMerge.ts"
import type { GitReaders } from "./GitReaders.ts"
import { editTree, emptyTree } from "./GitTree.ts"
import type { GitWriter } from "./GitWriter.ts"
import type { RepositoryPath } from "./RepositoryPath.ts"

type Service = typeof Repositories.Service

/** The commit of `main`. */
export const main = (
  readers: GitReaders,
  path: RepositoryPath
): Effect.Effect<CommitRef, ObjectNotFound | RepositoriesUnavailable> =>
  Effect.flatMap(
    io("main", () => readMain(path.gitDir)),
    (commit) =>
      commit === undefined ? new ObjectNotFound({ what: "commit", id: "main" }) : lookupCommit(readers, path, commit)
  )

/** `from`: where `main` is, or `undefined` where it is to be made. Only who has the Project to itself may. */
const moveMain = Effect.fnUntraced(function* (
  { keeping }: GitWriter,
  path: RepositoryPath,
  from: string | undefined,
  to: string
) {
  const before = yield* io("main", () => writeMain(path.gitDir, from, to, keeping))
  if (before !== from) return yield* new NotFastForward({ from: before ?? "nothing", to })
})

/** Many small packs make every look-up slower. Nothing that a fork may borrow is ever dropped. */
const rollUp = Effect.fnUntraced(
  function* (path: RepositoryPath) {
    if ((yield* io("repack", () => countPacks(path.gitDir))) <= LocalLimits.gitPacks) return
    yield* succeed({ gitDir: path.gitDir, args: ["repack", "-d", "-q", "--geometric=2"] })
  },
  Effect.catch((error) => Effect.logWarning("canonical was not repacked", error.reason))
)

/** `Repositories.seed`: the commit is kept by a ref of its own, and `main` does not move. */
export const seed =
  ({ keeping, write, writing }: GitWriter): Service["seed"] =>
  ({ files, message, project, signature }) =>
    writing({ project }, (path) =>
      Effect.gen(function* () {
        const tree = yield* Effect.fromResult(editTree(emptyTree, files))
        yield* io("create", () => folder.create(path, keeping))
        const made = yield* write(path, tree, { parents: [], message, signature })
        yield* io("keep", () => folder.keep(path.gitDir, made.commit, keeping))
        return made
      })
    )

/** `Repositories.begin`: `main` at a seeded commit, or `NotFastForward` where another history stands. */
export const begin =
  (writer: GitWriter): Service["begin"] =>
  ({ commit: to, project }) =>
    writer.writing({ project }, (path) =>
      Effect.gen(function* () {
        yield* present(path)
        yield* lookupType(writer.readers, path, ["commit"], to)
        const now = yield* io("main", () => readMain(path.gitDir))
        if (now === undefined) return yield* moveMain(writer, path, undefined, to)
        if (now === to || (yield* isAncestor(path.gitDir, to, now))) return
        // Another first commit: of a seed that was cut short before anyone was told of it.
        const isFirst = (yield* lookupParents(writer.readers, path, now)).length === 0
        return yield* isFirst ? moveMain(writer, path, now, to) : new NotFastForward({ from: now, to })
      })
    )

/** `Repositories.advance`: fetches what is new in one pack, checked to be whole, before `main` moves. */
export const advance =
  (writer: GitWriter): Service["advance"] =>
  ({ commit: to, expected, from, project }) =>
    writer.writing({ project }, (path) =>
      Effect.gen(function* () {
        const { path: pathOf, readers, rollsUp, settings } = writer
        yield* present(path)
        const now = (yield* main(readers, path)).commit
        if (now === to) return
        if (now !== expected) return yield* new NotFastForward({ from: now, to })
        const source = yield* pathOf(from)
        yield* present(source)
        // What was composed on it names it as a parent; only what is not so plain takes a git of its own.
        const follows =
          (yield* lookupParents(readers, source, to)).includes(now) || (yield* isAncestor(source.gitDir, now, to))
        if (!follows) return yield* new NotFastForward({ from: now, to })
        const packing = {
          gitDir: source.gitDir,
          // Whole by itself: packs of which two bring the same base along cannot be laid side by side.
          args: ["pack-objects", "--revs", "--stdout", "--delta-base-offset", "-q"],
          stdin: `${to}\n^${now}\n`
        }
        // It names each object by its bytes, and fails where one names another that is neither in the pack nor here: main
        // rests on nothing that is missing. That some are here already is what it says by 1.
        const args = ["index-pack", "--stdin", "--check-self-contained-and-connected"]
        yield* pipe(packing, { gitDir: path.gitDir, args, settings }, [0, 1])
        yield* lookupType(readers, path, ["commit"], to)
        yield* moveMain(writer, path, now, to)
        if (rollsUp) yield* rollUp(path)
      })
    )

/** `Repositories.compact`: of canonical. A fork has few packs, and goes away. */
export const compact =
  ({ writing }: GitWriter): Service["compact"] =>
  (ref) =>
    writing(ref, (path) => Effect.andThen(present(path), path.isFork ? Effect.void : rollUp(path)))
