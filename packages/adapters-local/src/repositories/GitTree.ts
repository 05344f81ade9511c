/** Whole trees: read by one `ls-tree`, written by computing what changed in this process. */
import { Effect, Result } from "effect"
import { compareCodePoints } from "@pawl/core/primitives/CodePoints"
import { Limits } from "@pawl/core/primitives/Limits"
import { LocalLimits } from "../LocalLimits.ts"
import { applyEdits } from "@pawl/core/project/Edits"
import { pathProblem } from "@pawl/core/project/Paths"
import {
  type FileEdits,
  InvalidPath,
  RepositoriesUnavailable,
  type TreeEntry,
  TreeTooLarge
} from "@pawl/core/project/Repositories"
import { wholeText } from "@pawl/core/primitives/Utf8"
import { failed, run } from "./GitCommand.ts"
import { type GitObject, gitObject, treeObject, type TreeItem } from "./GitObjects.ts"

/** A file of a tree; `size` in bytes. */
export interface TreeFile {
  readonly id: string
  readonly size: number
  readonly executable: boolean
  /** Only of a file that is to be written. */
  readonly object?: GitObject
}

/** A whole tree by path: `id` is the root's. */
export interface Tree {
  readonly id: string
  readonly files: ReadonlyMap<string, TreeFile>
  /** The ids of all directories but the root. */
  readonly directories: ReadonlyMap<string, string>
}

const tooMany = (actual: number) => new TreeTooLarge({ limit: "sourceEntries", max: Limits.sourceEntries, actual })

const parseListing = (
  id: string,
  text: string
): Result.Result<Tree, InvalidPath | TreeTooLarge | RepositoriesUnavailable> =>
  Result.gen(function* () {
    const files = new Map<string, TreeFile>()
    const directories = new Map<string, string>()
    const records = text.split("\0").slice(0, -1)
    for (const record of records) {
      const tab = record.indexOf("\t")
      const path = record.slice(tab + 1)
      const [mode = "", type = "", object = "", size = ""] = record.slice(0, tab).split(/ +/)
      const problem = pathProblem(path)
      if (problem !== undefined) return yield* Result.fail(new InvalidPath({ path, reason: problem }))
      if (mode === "040000") directories.set(path, object)
      else if (mode !== "100644" && mode !== "100755")
        return yield* Result.fail(new InvalidPath({ path, reason: `its mode is ${mode}` }))
      else if (type !== "blob" || !/^[0-9]+$/.test(size))
        return yield* Result.fail(
          new RepositoriesUnavailable({ operation: "ls-tree", reason: `object ${object} is not there or corrupt` })
        )
      else files.set(path, { id: object, size: Number(size), executable: mode === "100755" })
    }
    return { id, files, directories }
  })

/** A tree with all that is under it. The caller knows that the tree is there. */
export const readTree = Effect.fnUntraced(function* (
  gitDir: string,
  id: string
): Effect.fn.Return<Tree, InvalidPath | TreeTooLarge | RepositoriesUnavailable> {
  const args = ["ls-tree", "-r", "-t", "-l", "-z", "--full-tree", id]
  const result = yield* run({
    gitDir,
    args,
    maxBytes: LocalLimits.gitListingBytes,
    maxRecords: Limits.sourceEntries
  }).pipe(
    Effect.catchTag("TooMuchOutput", ({ output }) =>
      tooMany(Math.max(Limits.sourceEntries + 1, output.toString("latin1").split("\0").length - 1))
    )
  )
  if (result.code !== 0) return yield* failed(args, result)
  const text = wholeText(result.stdout)
  if (text === null) return yield* new InvalidPath({ path: "", reason: "a path is not UTF-8" })
  return yield* Effect.fromResult(parseListing(id, text))
})

/** The directories and files of a tree, in path order by code point. */
export const entriesOf = ({ directories, files }: Tree): ReadonlyArray<TreeEntry> => {
  const entries: Array<TreeEntry> = []
  for (const [path, id] of directories) entries.push({ path, type: "directory", id, size: 0, executable: false })
  for (const [path, { executable, id, size }] of files) entries.push({ path, type: "file", id, size, executable })
  return entries.sort((a, b) => compareCodePoints(a.path, b.path))
}

/** The tree without a file. */
export const emptyTree: Tree = { id: treeObject([]).id, files: new Map(), directories: new Map() }

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))
const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** The files of each directory by its path; the root's is empty. */
const byDirectory = (files: ReadonlyMap<string, TreeFile>): Map<string, Map<string, TreeItem>> => {
  const folders = new Map<string, Map<string, TreeItem>>([["", new Map()]])
  const folder = (path: string): Map<string, TreeItem> => {
    const present = folders.get(path)
    if (present !== undefined) return present
    const made = new Map<string, TreeItem>()
    folders.set(path, made)
    folder(parentOf(path))
    return made
  }
  for (const [path, { executable, id }] of files) {
    const name = nameOf(path)
    folder(parentOf(path)).set(name, { name, mode: executable ? "100755" : "100644", id })
  }
  return folders
}

/** As git lists them. */
export const inOrder = <A>(entries: Array<readonly [path: string, value: A]>): ReadonlyMap<string, A> =>
  new Map(entries.sort(([a], [b]) => compareCodePoints(a, b)))

/** A tree that differs from a base at some paths: all of it, and the objects of directories that the base does not have. */
interface MadeTree {
  readonly made: Tree
  readonly objects: ReadonlyMap<string, GitObject>
}

const madeOf = (base: Tree, files: ReadonlyMap<string, TreeFile>, paths: Iterable<string>): MadeTree => {
  const objects = new Map<string, GitObject>()
  const directories: Array<readonly [path: string, id: string]> = []
  const changed = new Set<string>([""])
  for (const path of paths)
    for (let up = parentOf(path); up !== "" && !changed.has(up); up = parentOf(up)) changed.add(up)
  const folders = byDirectory(files)
  // The deepest first, so that each finds its folders' ids.
  const order = [...folders.keys()].sort((a, b) => b.split("/").length - a.split("/").length)
  let root = emptyTree.id
  for (const path of [...order.filter((folder) => folder !== ""), ""]) {
    const known = changed.has(path) ? undefined : base.directories.get(path)
    const object = known === undefined ? treeObject(folders.get(path)?.values() ?? []) : undefined
    const id = known ?? object?.id ?? ""
    if (object !== undefined && base.directories.get(path) !== id && base.id !== id) objects.set(id, object)
    if (path === "") root = id
    else {
      directories.push([path, id])
      folders.get(parentOf(path))?.set(nameOf(path), { name: nameOf(path), mode: "40000", id })
    }
  }
  return { made: { id: root, files, directories: inOrder(directories) }, objects }
}

/** A tree with files put over some of its own, all of which there are: the whole of it, and its trees that the base does not have. */
export const overlaidTree = (
  base: Tree,
  over: ReadonlyMap<string, TreeFile>
): { readonly made: Tree; readonly objects: ReadonlyArray<GitObject> } => {
  const { made, objects } = madeOf(base, inOrder([...new Map([...base.files, ...over])]), over.keys())
  return { made, objects: [...objects.values()] }
}

/** What edits gave: `tree` is the root's id. */
export interface EditedTree {
  readonly tree: string
  /** What the base does not have. */
  readonly objects: ReadonlyArray<GitObject>
}

/**
 * The tree after the edits, and the objects to write for it. Fails for a path that no tree can hold, or too many files.
 */
export const editTree = (base: Tree, edits: FileEdits): Result.Result<EditedTree, InvalidPath | TreeTooLarge> =>
  Result.map(
    applyEdits<TreeFile>(base.files, edits, (bytes, replaced) => {
      const object = gitObject("blob", bytes)
      return { id: object.id, size: bytes.length, executable: replaced?.executable ?? false, object }
    }),
    (files) => {
      const { made, objects: trees } = madeOf(base, files, Object.keys(edits))
      const objects = new Map(trees)
      for (const { object } of files.values()) if (object !== undefined) objects.set(object.id, object)
      return { tree: made.id, objects: [...objects.values()] }
    }
  )
