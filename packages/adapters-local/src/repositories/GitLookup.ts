/** Objects of a repository by id: canonical's reader first, which is always warm, then the fork's own. */
import { Effect, Result, Stream } from "effect"
import { Limits } from "@pawl/core/primitives/Limits"
import {
  type CommitRef,
  type FileText,
  InvalidPath,
  ObjectNotFound,
  RepositoriesUnavailable
} from "@pawl/core/project/Repositories"
import { LocalLimits } from "../LocalLimits.ts"
import { stream } from "./GitCommand.ts"
import { exists } from "./FolderFiles.ts"
import { io } from "./GitFolder.ts"
import type { GitReaders } from "./GitReaders.ts"
import { treeBytes } from "./GitTreeWalk.ts"
import { isObjectId, type RepositoryPath } from "./RepositoryPath.ts"

const notFound = (what: string, id: string) => new ObjectNotFound({ what, id })

/** Fails with `ObjectNotFound` where there is no such repository. */
export const present = (path: RepositoryPath): Effect.Effect<void, ObjectNotFound | RepositoriesUnavailable> =>
  Effect.flatMap(
    io("open", () => exists(path.gitDir)),
    (there) => (there ? Effect.void : notFound("repository", path.name))
  )

/** The first answer that is there, from canonical and then the fork. A fork's reader knows canonical's objects too. */
const firstOf = Effect.fnUntraced(function* <A>(
  readers: GitReaders,
  path: RepositoryPath,
  ask: (gitDir: string) => Effect.Effect<A | undefined, RepositoriesUnavailable>
) {
  if (path.isFork && !(yield* readers.isOpen(path.gitDir)) && (yield* io("open", () => exists(path.canonDir)))) {
    const found = yield* ask(path.canonDir)
    if (found !== undefined) return found
  }
  return yield* ask(path.gitDir)
})

const body = Effect.fnUntraced(function* (
  readers: GitReaders,
  path: RepositoryPath,
  type: string,
  id: string,
  maxBytes: number
) {
  if (!isObjectId(id)) return yield* notFound(type, id)
  const found = yield* firstOf(readers, path, (gitDir) => readers.contents(gitDir, id, maxBytes))
  return found === undefined || found.type !== type ? yield* notFound(type, id) : found.body
})

/** A commit with its tree. */
export const lookupCommit = (
  readers: GitReaders,
  path: RepositoryPath,
  id: string
): Effect.Effect<CommitRef, ObjectNotFound | RepositoriesUnavailable> =>
  Effect.flatMap(body(readers, path, "commit", id, Limits.sourceFileBytes), (bytes) => {
    const tree = /^tree ([0-9a-f]{40})\n/.exec(Buffer.from(bytes.subarray(0, 46)).toString("latin1"))?.[1]
    return tree === undefined
      ? new RepositoriesUnavailable({ operation: "cat-file", reason: "a commit without a tree" })
      : Effect.succeed({ commit: id, tree })
  })

/** The parents of a commit, from its header. */
export const lookupParents = (
  readers: GitReaders,
  path: RepositoryPath,
  id: string
): Effect.Effect<ReadonlyArray<string>, ObjectNotFound | RepositoriesUnavailable> =>
  Effect.map(body(readers, path, "commit", id, Limits.sourceFileBytes), (bytes) => {
    const [, ...lines] = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1").split("\n")
    const end = lines.findIndex((line) => !line.startsWith("parent "))
    return lines.slice(0, end < 0 ? undefined : end).map((line) => line.slice("parent ".length))
  })

/** Fails unless the repository has an object of one of these types with this id. */
export const lookupType = Effect.fnUntraced(function* (
  readers: GitReaders,
  path: RepositoryPath,
  types: ReadonlyArray<string>,
  id: string
): Effect.fn.Return<void, ObjectNotFound | RepositoriesUnavailable> {
  const found = isObjectId(id) ? yield* firstOf(readers, path, (gitDir) => readers.info(gitDir, id)) : undefined
  if (found === undefined || !types.includes(found.type)) return yield* notFound(types[0] ?? "object", id)
})

/** The entry of a name in a tree object. */
const findEntry = (
  bytes: Uint8Array,
  name: string
): Result.Result<{ readonly mode: string; readonly id: string } | undefined, string> => {
  const tree = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const wanted = Buffer.from(name, "utf8")
  for (let at = 0; at < tree.length;) {
    const space = tree.indexOf(32, at)
    const end = tree.indexOf(0, space)
    if (space < 0 || end < 0) return Result.fail("a tree of another form")
    if (tree.subarray(space + 1, end).equals(wanted))
      return Result.succeed({ mode: tree.toString("latin1", at, space), id: tree.toString("hex", end + 1, end + 21) })
    at = end + 21
  }
  return Result.succeed(undefined)
}

// Below the root an object that is not there is a hole in the repository, not a caller's mistake.
const holeAt = (id: string) => new RepositoriesUnavailable({ operation: "read", reason: `object ${id} is not there` })

/** The blob of a file, walking down from a tree. */
const lookupBlob = Effect.fnUntraced(function* (readers: GitReaders, path: RepositoryPath, root: string, file: string) {
  let [type, id] = ["tree", root]
  const hole = () => holeAt(id)
  for (const [depth, name] of file.split("/").entries()) {
    if (type !== "tree") return yield* notFound("path", file)
    const read = body(readers, path, "tree", id, treeBytes)
    const tree = yield* depth === 0 ? read : Effect.catchTag(read, "ObjectNotFound", hole)
    const entry = yield* Effect.fromResult(findEntry(tree, name)).pipe(
      Effect.mapError((reason) => new RepositoriesUnavailable({ operation: "read", reason }))
    )
    if (entry === undefined) return yield* notFound("path", file)
    id = entry.id
    if (entry.mode === "40000") type = "tree"
    else if (entry.mode === "100644" || entry.mode === "100755") type = "blob"
    else return yield* new InvalidPath({ path: file, reason: `its mode is ${entry.mode}` })
  }
  if (type !== "blob") return yield* notFound("path", file)
  return id
})

/** The bytes of a file. */
export const lookupFile = (
  readers: GitReaders,
  path: RepositoryPath,
  root: string,
  file: string
): Effect.Effect<Uint8Array, ObjectNotFound | InvalidPath | RepositoriesUnavailable> =>
  Effect.flatMap(lookupBlob(readers, path, root, file), (id) =>
    Effect.catchTag(body(readers, path, "blob", id, Limits.sourceFileBytes), "ObjectNotFound", () => holeAt(id))
  )

/** A file in pieces: out of memory when it is short, else by a git of its own for each reading. */
export const openFile = Effect.fnUntraced(function* (
  readers: GitReaders,
  path: RepositoryPath,
  root: string,
  file: string
): Effect.fn.Return<FileText, ObjectNotFound | InvalidPath | RepositoriesUnavailable> {
  const id = yield* lookupBlob(readers, path, root, file)
  const found = yield* firstOf(readers, path, (gitDir) => readers.info(gitDir, id))
  if (found === undefined) return yield* holeAt(id)
  const { size: sizeBytes } = found
  if (sizeBytes > LocalLimits.diffKeptBytes) {
    const args = ["cat-file", "blob", id]
    return { sizeBytes, pieces: stream({ gitDir: path.gitDir, args, timeoutMs: LocalLimits.gitServeMs }) }
  }
  const bytes = yield* Effect.catchTag(body(readers, path, "blob", id, sizeBytes), "ObjectNotFound", () => holeAt(id))
  return { sizeBytes, pieces: Stream.make(bytes) }
})
