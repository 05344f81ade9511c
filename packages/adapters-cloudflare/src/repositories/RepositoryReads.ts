/** What is read of repositories: commits, trees, files, and what changed between two trees. */
import { Effect, Result, Stream } from "effect"
import { diff3Merge } from "node-diff3"
import { compareCodePoints } from "@pawl/core/primitives/CodePoints"
import { Limits } from "@pawl/core/primitives/Limits"
import { textOf } from "@pawl/core/primitives/Utf8"
import { isWithin, pathProblem } from "@pawl/core/project/Paths"
import {
  type FileText,
  InvalidPath,
  ObjectNotFound,
  type Repositories,
  RepositoriesUnavailable,
  type RepositoryRef,
  TreeTooLarge
} from "@pawl/core/project/Repositories"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import { byteText, isBinary, textBytes } from "./Bytes.ts"
import { type FilePatch, patchOf, type Version } from "./FilePatch.ts"
import { commitLinks, type TreeItem, treeItems } from "./GitObject.ts"
import type { HeldRepositories, Line } from "./HeldRepositories.ts"
import { linesOf } from "./LineDiff.ts"
import { commitOf, entriesOf, type Objects, treeOf, type TreeFile } from "./Tree.ts"

type Service = typeof Repositories.Service

const missing = (what: string, id: string) => Result.fail(new ObjectNotFound({ what, id }))

/** A tree, or that of a commit. One whose paths cannot be is none of this server's making. */
const wholeTree = (objects: Objects, id: string, commits: boolean) => {
  const found = objects.get(id)
  const tree = commits && found?.type === "commit" ? commitLinks(found.body).tree : id
  return Result.mapError(treeOf(objects, tree), (error) =>
    error._tag === "InvalidPath" ? new RepositoriesUnavailable({ operation: "tree", reason: error.message }) : error
  )
}

const inPieces = (bytes: Uint8Array): FileText => {
  const pieces: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length; at += CloudflareLimits.filePieceBytes)
    pieces.push(bytes.subarray(at, at + CloudflareLimits.filePieceBytes))
  return { sizeBytes: bytes.length, pieces: Stream.fromIterable(pieces) }
}

/** The bytes of one file, found from directory to directory. */
const fileIn = (
  objects: Objects,
  tree: string,
  path: string
): Result.Result<Uint8Array, InvalidPath | ObjectNotFound> => {
  const reason = pathProblem(path)
  if (reason !== undefined) return Result.fail(new InvalidPath({ path, reason }))
  let found = objects.get(tree)
  if (found?.type !== "tree") return missing("tree", tree)
  for (const name of path.split("/")) {
    const items: ReadonlyArray<TreeItem> = found?.type === "tree" ? (treeItems(found.body) ?? []) : []
    found = objects.get(items.find((each) => each.name === name)?.id ?? "")
  }
  return found?.type === "blob" ? Result.succeed(found.body) : missing("path", path)
}

const versionOf = (objects: Objects, file: TreeFile | undefined): Version | undefined =>
  file === undefined
    ? undefined
    : { id: file.id, executable: file.executable, content: objects.get(file.id)?.body ?? new Uint8Array() }

/** The patches of all files that differ, in path order; with `within` of those at that path, and below it. */
const patches = (
  objects: Objects,
  from: string,
  to: string,
  within?: string
): Result.Result<ReadonlyArray<FilePatch>, ObjectNotFound | TreeTooLarge | RepositoriesUnavailable> =>
  Result.gen(function* () {
    const { files: before } = yield* wholeTree(objects, from, true)
    const { files: after } = yield* wholeTree(objects, to, true)
    const paths = [...new Set([...before.keys(), ...after.keys()])].sort(compareCodePoints)
    const found: Array<FilePatch> = []
    let actual = 0
    for (const path of paths) {
      if (within !== undefined && !isWithin(path, within)) continue
      const [old, now] = [before.get(path), after.get(path)]
      if (old?.id === now?.id && old?.executable === now?.executable) continue
      const patch = patchOf(path, versionOf(objects, old), versionOf(objects, now))
      found.push(patch)
      actual += patch.text.length
      if (actual > CloudflareLimits.plainDiffBytes)
        return yield* Result.fail(
          new TreeTooLarge({ limit: "plainDiffBytes", max: CloudflareLimits.plainDiffBytes, actual })
        )
    }
    return found
  })

/**
 * The merge of one file by another program than the merge of trees: an audit compares the two. What that calls a conflict
 * is one; two sides that did the same thing are none.
 */
const mergeFile: Service["mergeFile"] extends (ref: RepositoryRef, contents: infer A) => unknown
  ? (contents: A) => Uint8Array | null
  : never = ({ base, ours, theirs }) => {
  const [b, o, t] = [base, ours, theirs].map(byteText) as [string, string, string]
  if (o === t || b === t) return ours
  if (b === o) return theirs
  if ([base, ours, theirs].some(isBinary)) return null
  const regions = diff3Merge([...linesOf(o)], [...linesOf(b)], [...linesOf(t)], { excludeFalseConflicts: true })
  const merged: Array<string> = []
  for (const { ok } of regions) {
    if (ok === undefined) return null
    merged.push(...ok)
  }
  return textBytes(merged.join(""))
}

const changeOf = ({ additions, deletions, path, status }: FilePatch) => ({ path, status, additions, deletions })

/** The methods of the port that read. */
export const reads = (
  held: HeldRepositories
): Pick<
  Service,
  "resolve" | "parents" | "mergeFile" | "main" | "list" | "read" | "open" | "files" | "diff" | "diffText"
> => {
  const reading = <A, E>(ref: RepositoryRef, work: (line: Line) => Result.Result<A, E>) =>
    Effect.flatMap(held.line(ref), (line) => Effect.fromResult(work(line)))
  const resolved = (line: Line, commit: string) => Result.map(commitOf(line, commit), ({ tree }) => ({ commit, tree }))
  return {
    resolve: (ref, commit) => reading(ref, (line) => resolved(line, commit)),
    parents: (ref, commit) => reading(ref, (line) => Result.map(commitOf(line, commit), ({ parents }) => parents)),
    mergeFile: (ref, contents) => Effect.map(held.line(ref), () => mergeFile(contents)),
    main: (project) => reading({ project }, (line) => resolved(line, line.own.main ?? "main")),
    list: (ref, tree) => reading(ref, (line) => Result.map(wholeTree(line, tree, false), entriesOf)),
    read: (ref, tree, path) => reading(ref, (line) => fileIn(line, tree, path)),
    open: (ref, tree, path) => reading(ref, (line) => Result.map(fileIn(line, tree, path), inPieces)),
    files: (ref, tree) =>
      reading(ref, (line) =>
        Result.gen(function* () {
          const { files } = yield* wholeTree(line, tree, false)
          const actual = Array.from(files.values()).reduce((sum, { size }) => sum + size, 0)
          const max = Limits.sourceTotalBytes
          if (actual > max) return yield* Result.fail(new TreeTooLarge({ limit: "sourceTotalBytes", max, actual }))
          return new Map(
            Array.from(files, ([path, { executable, id }]) => [
              path,
              { content: line.get(id)?.body ?? new Uint8Array(), executable }
            ])
          )
        })
      ),
    diff: (ref, from, to, within) =>
      reading(ref, (line) =>
        Result.map(patches(line, from, to, within), (found) =>
          found.map((patch) => ({ ...changeOf(patch), patch: patch.isBinary ? "" : textOf(textBytes(patch.text)) }))
        )
      ),
    diffText: (ref, from, to, within) =>
      reading(ref, (line) =>
        Result.map(patches(line, from, to, within), (found) => ({
          ...inPieces(textBytes(found.map(({ text }) => text).join(""))),
          changes: Effect.succeed(found.map(changeOf))
        }))
      )
  }
}
