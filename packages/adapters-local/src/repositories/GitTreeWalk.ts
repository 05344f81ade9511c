/** The listing of a tree out of that of another: only what differs is read, by a reader that runs already. */
import { Effect, Result } from "effect"
import { Limits } from "@pawl/core/primitives/Limits"
import { pathProblem } from "@pawl/core/project/Paths"
import { InvalidPath, RepositoriesUnavailable, TreeTooLarge } from "@pawl/core/project/Repositories"
import { exactText } from "@pawl/core/primitives/Utf8"
import type { GitReaders } from "./GitReaders.ts"
import { inOrder, type Tree, type TreeFile } from "./GitTree.ts"

/** Trees are this long at most: `sourceEntries` names of the longest, each with mode and id. */
export const treeBytes = Limits.sourceEntries * (Limits.pathSegmentBytes + 28)

interface Entry {
  readonly mode: string
  readonly path: string
  readonly id: string
}

const hole = (id: string) =>
  new RepositoriesUnavailable({ operation: "list", reason: `object ${id} is not there or corrupt` })

/** The entries of a tree object, each with its path from the root. */
const entriesOf = (
  folder: string,
  id: string,
  bytes: Uint8Array
): Result.Result<ReadonlyArray<Entry>, InvalidPath | RepositoriesUnavailable> => {
  const tree = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const entries: Array<Entry> = []
  for (let at = 0; at < tree.length;) {
    const space = tree.indexOf(32, at)
    const end = tree.indexOf(0, space)
    if (space < 0 || end < 0) return Result.fail(hole(id))
    const name = exactText(tree.subarray(space + 1, end))
    if (name === null) return Result.fail(new InvalidPath({ path: "", reason: "a path is not UTF-8" }))
    const path = folder === "" ? name : `${folder}/${name}`
    const mode = tree.toString("latin1", at, space)
    const isKnown = mode === "40000" || mode === "100644" || mode === "100755"
    const problem = pathProblem(path) ?? (isKnown ? undefined : `its mode is ${mode.padStart(6, "0")}`)
    if (problem !== undefined) return Result.fail(new InvalidPath({ path, reason: problem }))
    entries.push({ mode, path, id: tree.toString("hex", end + 1, end + 21) })
    at = end + 21
  }
  return Result.succeed(entries)
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))

/** What of a listing lies in one of some folders. */
const within = (base: Tree, folders: ReadonlySet<string>) => {
  const isIn = new Map<string, boolean>([["", false]])
  const holds = (folder: string): boolean => {
    const told = isIn.get(folder) ?? (folders.has(folder) || holds(parentOf(folder)))
    isIn.set(folder, told)
    return told
  }
  return {
    files: [...base.files].filter(([path]) => holds(parentOf(path))),
    directories: [...base.directories].filter(([path]) => holds(path))
  }
}

/** A tree with all that is under it, read beside the listing of one that is much the same. */
export const walkTree = Effect.fnUntraced(function* (
  readers: GitReaders,
  gitDir: string,
  id: string,
  base: Tree
): Effect.fn.Return<Tree, InvalidPath | TreeTooLarge | RepositoriesUnavailable> {
  const same = new Set<string>()
  const files = new Map<string, TreeFile>()
  const directories = new Map<string, string>()
  const unsized: Array<Entry> = []
  let read = 0
  let folders: ReadonlyArray<readonly [path: string, id: string]> = [["", id]]
  while (folders.length > 0) {
    const found = yield* readers.allContents(
      gitDir,
      folders.map(([, tree]) => tree),
      treeBytes
    )
    const next: Array<readonly [path: string, id: string]> = []
    for (const [index, [folder, tree]] of folders.entries()) {
      const object = found[index]
      if (object?.type !== "tree") return yield* hole(tree)
      for (const entry of yield* Effect.fromResult(entriesOf(folder, tree, object.body))) {
        const { id: child, mode, path } = entry
        const there = base.files.get(path)
        // Of few objects there may be a billion entries: what is read is bounded as what is listed.
        if (++read > Limits.sourceEntries)
          return yield* new TreeTooLarge({ limit: "sourceEntries", max: Limits.sourceEntries, actual: read })
        if (mode === "40000") {
          directories.set(path, child)
          if (base.directories.get(path) === child) same.add(path)
          else next.push([path, child])
        } else if (there?.id === child) files.set(path, { ...there, executable: mode === "100755" })
        else unsized.push(entry)
      }
    }
    folders = next
  }
  const sized = yield* Effect.forEach(unsized, (entry) => readers.info(gitDir, entry.id), { concurrency: "unbounded" })
  for (const [index, { id: blob, mode, path }] of unsized.entries()) {
    const object = sized[index]
    if (object?.type !== "blob") return yield* hole(blob)
    files.set(path, { id: blob, size: object.size, executable: mode === "100755" })
  }
  const kept = within(base, same)
  return {
    id,
    files: inOrder([...files, ...kept.files]),
    directories: inOrder([...directories, ...kept.directories])
  }
})
