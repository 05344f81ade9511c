/** What file edits make of a tree, within Pawl's bounds: one rule for every adapter of `Repositories`. */
import { Result } from "effect"
import { Base64 } from "effect/encoding"
import { Limits } from "../primitives/Limits.ts"
import { utf8 } from "../primitives/Digest.ts"
import { pathProblem, treeProblems } from "./Paths.ts"
import { type FileContent, type FileEdits, InvalidPath, TreeTooLarge } from "./Repositories.ts"

/** The bytes of a file as a caller sent it. */
const contentBytes = (path: string, content: FileContent): Result.Result<Uint8Array, InvalidPath> =>
  typeof content === "string"
    ? Result.succeed(utf8(content))
    : Result.mapError(
        Base64.decode(content.base64),
        () => new InvalidPath({ path, reason: "its content is not valid base64" })
      )

const bounds = {
  sourceEntries: Limits.sourceEntries,
  sourceFileBytes: Limits.sourceFileBytes,
  sourceTotalBytes: Limits.sourceTotalBytes
}

const tooLarge = (limit: keyof typeof bounds, actual: number) => new TreeTooLarge({ limit, max: bounds[limit], actual })

/** The directories that the paths of files imply. */
export const directoriesOf = (paths: Iterable<string>): Set<string> => {
  const directories = new Set<string>()
  for (const path of paths)
    // From the deepest up: once one is known, so are those above it.
    for (let slash = path.lastIndexOf("/"); slash > 0; slash = path.lastIndexOf("/", slash - 1)) {
      const directory = path.slice(0, slash)
      if (directories.has(directory)) break
      directories.add(directory)
    }
  return directories
}

/** Whether these files, by path, may be one tree: entries (directories count), bytes and names that collide. */
export const checkTree = (
  files: ReadonlyMap<string, { readonly size: number }>
): Result.Result<void, InvalidPath | TreeTooLarge> => {
  const entries = files.size > Limits.sourceEntries ? files.size : files.size + directoriesOf(files.keys()).size
  if (entries > Limits.sourceEntries) return Result.fail(tooLarge("sourceEntries", entries))
  let total = 0
  for (const { size } of files.values()) {
    if (size > Limits.sourceFileBytes) return Result.fail(tooLarge("sourceFileBytes", size))
    total += size
  }
  if (total > Limits.sourceTotalBytes) return Result.fail(tooLarge("sourceTotalBytes", total))
  const problem = treeProblems(files.keys())[0]
  return problem === undefined ? Result.succeed(undefined) : Result.fail(new InvalidPath(problem))
}

/**
 * The files after the edits. Deletions come first, so that a file can make room for a directory in one go;
 * deleting what is not there changes nothing. `write` makes the entry of a written file, from the one it replaces.
 */
export const applyEdits = <File extends { readonly size: number }>(
  base: ReadonlyMap<string, File>,
  edits: FileEdits,
  write: (bytes: Uint8Array, replaced: File | undefined) => File
): Result.Result<Map<string, File>, InvalidPath | TreeTooLarge> =>
  Result.gen(function* () {
    const files = new Map(base)
    for (const [path, content] of Object.entries(edits)) {
      const problem = pathProblem(path)
      if (problem !== undefined) return yield* Result.fail(new InvalidPath({ path, reason: problem }))
      if (content === null) files.delete(path)
    }
    for (const [path, content] of Object.entries(edits)) {
      if (content === null) continue
      const bytes = yield* contentBytes(path, content)
      if (bytes.length > Limits.sourceFileBytes) return yield* Result.fail(tooLarge("sourceFileBytes", bytes.length))
      // Checked on the way, so that a body of too many files is not worked through to its end.
      if (files.size > Limits.sourceEntries) return yield* Result.fail(tooLarge("sourceEntries", files.size))
      files.set(path, write(bytes, base.get(path)))
    }
    yield* checkTree(files)
    return files
  })
