/** Forks: made, written, merged in, removed. */
import { Effect, Option } from "effect"
import {
  ObjectNotFound,
  type Repositories,
  RepositoriesUnavailable,
  type RepositoryRef
} from "@pawl/core/project/Repositories"
import { folder } from "./FolderAside.ts"
import { forksIn, io, remove as removeFolder } from "./GitFolder.ts"
import { lookupCommit, lookupType, present } from "./GitLookup.ts"
import { mergeCommit } from "./GitMerge.ts"
import { editTree } from "./GitTree.ts"
import type { GitWriter } from "./GitWriter.ts"
import { isObjectId, type RepositoryPath } from "./RepositoryPath.ts"

type Service = typeof Repositories.Service

/** `Repositories.fork`: an empty repository beside canonical, which must be there. */
export const fork =
  ({ alone, keeping, path: pathOf, readers }: GitWriter): Service["fork"] =>
  (ref, wanted = "lasting") =>
    alone(ref, (path) =>
      Effect.gen(function* () {
        yield* present(yield* pathOf({ project: ref.project }))
        if (keeping === "passing" || wanted === "lasting")
          return yield* io("create", () => folder.create(path, keeping))
        yield* io("create", () => folder.createUnsettled(path))
        // It may be another than it was.
        yield* readers.close(path.gitDir)
      })
    )

/** A base in a fork, in canonical, or else in one of the forks in `from`, which are then fetched. */
const baseIn = Effect.fnUntraced(function* (
  { fetch, readers }: GitWriter,
  path: RepositoryPath,
  base: string,
  from: ReadonlyArray<RepositoryRef> = []
) {
  if (from.length === 0) return yield* lookupCommit(readers, path, base)
  // Canonical's reader is there already. A fork that has no base yet is given one while its own begins.
  const canonical = { ...path, gitDir: path.canonDir, isFork: false }
  const found = yield* Effect.option(lookupCommit(readers, canonical, base))
  if (Option.isSome(found)) return found.value
  const own = { ...path, isFork: false }
  const [there] = yield* Effect.all(
    [Effect.option(lookupCommit(readers, own, base)), Effect.forEach(from, (ref) => fetch(path, ref))],
    { concurrency: 2 }
  )
  return Option.isSome(there) ? there.value : yield* lookupCommit(readers, own, base)
})

/** `Repositories.commit`: looks the base up before it fetches from the forks in `from`. */
export const commit =
  (writer: GitWriter): Service["commit"] =>
  ({ base, edits, from, into, message, signature }) =>
    writer.writing(into, (path) =>
      Effect.gen(function* () {
        const { keepingOf, known, write } = writer
        yield* present(path)
        const parent = yield* baseIn(writer, path, base, from)
        const tree = yield* Effect.fromResult(editTree(yield* known.list(path.gitDir, parent.tree), edits))
        const made = yield* write(path, tree, { parents: [base], message, signature })
        yield* io("keep", () => folder.keep(path.gitDir, made.commit, keepingOf(path)))
        return made
      })
    )

/** `Repositories.merge`: commit by commit, each on what the one before made. */
export const merge =
  (writer: GitWriter): Service["merge"] =>
  ({ base, commits, from: others, into, signature }) =>
    writer.writing(into, (path) =>
      Effect.gen(function* () {
        const { fetch, keepingOf, readers, write, writeCommit } = writer
        yield* present(path)
        let tip = yield* baseIn(writer, path, base, others)
        for (const { commit: theirs, contents, from, message } of commits) {
          if (!isObjectId(theirs)) return yield* new ObjectNotFound({ what: "commit", id: theirs })
          yield* fetch(path, from)
          const merged = yield* mergeCommit(path.gitDir, writer, {
            ours: tip,
            theirs,
            ...(contents === undefined ? {} : { contents })
          })
          if (merged === "failed") {
            yield* lookupCommit(readers, path, theirs)
            return yield* new RepositoriesUnavailable({
              operation: "merge-tree",
              reason: "an object is not there or corrupt"
            })
          }
          if (merged === "contained") continue
          const made = { parents: [tip.commit, theirs], message, signature }
          // Without contents it brings trees alone.
          const hasFiles = contents !== undefined && contents.size > 0 && merged.objects.length > 0
          tip = hasFiles
            ? yield* write(path, merged, made)
            : yield* writeCommit(path, { ...made, tree: merged.tree }, merged.objects)
        }
        if (tip.commit !== base) yield* io("keep", () => folder.keep(path.gitDir, tip.commit, keepingOf(path)))
        return tip
      })
    )

/** `Repositories.commitTree`: the tree and the parents must be there. */
export const commitTree =
  ({ keepingOf, readers, writeCommit, writing }: GitWriter): Service["commitTree"] =>
  ({ into, message, parents, signature, tree }) =>
    writing(into, (path) =>
      Effect.gen(function* () {
        yield* present(path)
        yield* lookupType(readers, path, ["tree"], tree)
        for (const parent of parents) yield* lookupType(readers, path, ["commit"], parent)
        const made = yield* writeCommit(path, { tree, parents, message, signature })
        yield* io("keep", () => folder.keep(path.gitDir, made.commit, keepingOf(path)))
        return made
      })
    )

/** `Repositories.remove`: with canonical go all its forks, which come first. */
export const remove =
  ({ readers, writing }: GitWriter): Service["remove"] =>
  (ref) =>
    writing(ref, (path) =>
      Effect.gen(function* () {
        // Forks live on canonical's objects: without it they are nothing.
        const forks = path.isFork ? [] : yield* io("remove", () => forksIn(path))
        for (const each of [...forks, path]) {
          yield* io("remove", () => removeFolder(each))
          yield* readers.close(each.gitDir)
        }
      })
    )
