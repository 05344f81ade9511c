/** Whole trees: read out of objects, and written as what edits or a merge made new. Pure. */
import { Result } from "effect"
import { compareCodePoints } from "@pawl/core/primitives/CodePoints"
import { Limits } from "@pawl/core/primitives/Limits"
import { pathProblem } from "@pawl/core/project/Paths"
import { InvalidPath, ObjectNotFound, type TreeEntry, TreeTooLarge } from "@pawl/core/project/Repositories"
import {
  type CommitLinks,
  commitLinks,
  type GitObject,
  oddItem,
  treeItems,
  type TreeItem,
  treeObject
} from "./GitObject.ts"

/** Objects that are at hand, by their id. */
export interface Objects {
  readonly get: (id: string) => GitObject | undefined
}

/** A file of a tree; `size` in bytes. */
export interface TreeFile {
  readonly id: string
  readonly size: number
  readonly executable: boolean
  /** Only of a file that is to be written. */
  readonly object?: GitObject
}

/** Files by path. */
export type Files = ReadonlyMap<string, TreeFile>

/** A whole tree. */
export interface Tree {
  readonly files: Files
  /** The ids of all directories but the root, by path. */
  readonly directories: ReadonlyMap<string, string>
}

const missing = (what: string, id: string) => Result.fail(new ObjectNotFound({ what, id }))

/** The tree and the parents of a commit that is at hand. */
export const commitOf = (objects: Objects, id: string): Result.Result<CommitLinks, ObjectNotFound> => {
  const found = objects.get(id)
  return found?.type === "commit" ? Result.succeed(commitLinks(found.body)) : missing("commit", id)
}

/** A tree with all that is under it. Each path was judged, also where a push brought it. */
export const treeOf = (
  objects: Objects,
  id: string
): Result.Result<Tree, ObjectNotFound | InvalidPath | TreeTooLarge> => {
  const files = new Map<string, TreeFile>()
  const directories = new Map<string, string>()
  const waiting: Array<readonly [prefix: string, id: string]> = [["", id]]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [prefix, tree] = next
    const found = objects.get(tree)
    if (found?.type !== "tree") return missing("tree", tree)
    const items = treeItems(found.body)
    if (items === null) {
      const { name, reason } = oddItem(found.body) ?? { name: "", reason: "it is no directory" }
      return Result.fail(new InvalidPath({ path: prefix + name, reason }))
    }
    for (const item of items) {
      const path = prefix + item.name
      const reason = pathProblem(path)
      if (reason !== undefined) return Result.fail(new InvalidPath({ path, reason }))
      const object = item.mode === "40000" ? undefined : objects.get(item.id)
      if (item.mode === "40000") {
        directories.set(path, item.id)
        waiting.push([`${path}/`, item.id])
      } else if (object?.type !== "blob") return missing("file", item.id)
      else files.set(path, { id: item.id, size: object.body.length, executable: item.mode === "100755" })
      const actual = files.size + directories.size
      if (actual > Limits.sourceEntries)
        return Result.fail(new TreeTooLarge({ limit: "sourceEntries", max: Limits.sourceEntries, actual }))
    }
  }
  return Result.succeed({ files, directories })
}

/** The directories and files of a tree, in path order by code point. */
export const entriesOf = ({ directories, files }: Tree): ReadonlyArray<TreeEntry> => {
  const entries: Array<TreeEntry> = []
  for (const [path, id] of directories) entries.push({ path, type: "directory", id, size: 0, executable: false })
  for (const [path, { executable, id, size }] of files) entries.push({ path, type: "file", id, size, executable })
  return entries.sort((a, b) => compareCodePoints(a.path, b.path))
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))
const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** The items of each directory by its path, without the directories in it; the root's is empty. */
const byDirectory = (files: Files): Map<string, Array<TreeItem>> => {
  const folders = new Map<string, Array<TreeItem>>([["", []]])
  const folder = (path: string): Array<TreeItem> => {
    const present = folders.get(path)
    if (present !== undefined) return present
    const made: Array<TreeItem> = []
    folders.set(path, made)
    folder(parentOf(path))
    return made
  }
  for (const [path, { executable, id }] of files)
    folder(parentOf(path)).push({ name: nameOf(path), mode: executable ? "100755" : "100644", id })
  return folders
}

/** The root's id of these files, and every object that their tree is made of, but files that were there before. */
export const treeObjects = (files: Files): { readonly tree: string; readonly objects: ReadonlyArray<GitObject> } => {
  const objects: Array<GitObject> = []
  const folders = byDirectory(files)
  // The deepest first, so that each finds its folders' ids.
  const order = [...folders.keys()].sort((a, b) => b.split("/").length - a.split("/").length)
  let tree = ""
  for (const path of [...order.filter((folder) => folder !== ""), ""]) {
    const made = treeObject(folders.get(path) ?? [])
    objects.push(made)
    if (path === "") tree = made.id
    else folders.get(parentOf(path))?.push({ name: nameOf(path), mode: "40000", id: made.id })
  }
  for (const { object } of files.values()) if (object !== undefined) objects.push(object)
  return { tree, objects }
}
