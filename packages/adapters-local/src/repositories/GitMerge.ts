/** One merge without a worktree: `merge-tree`, and a look at what it gave. */
import { Effect } from "effect"
import { Base64 } from "effect/encoding"
import { compareCodePoints } from "@pawl/core/primitives/CodePoints"
import { checkTree } from "@pawl/core/project/Edits"
import { LocalLimits } from "../LocalLimits.ts"
import {
  type CommitRef,
  type InvalidPath,
  MergeConflict,
  RepositoriesUnavailable,
  type TreeTooLarge
} from "@pawl/core/project/Repositories"
import { failed, run, short } from "./GitCommand.ts"
import { type EditedTree, editTree } from "./GitTree.ts"
import type { GitWriter } from "./GitWriter.ts"
import { isObjectId } from "./RepositoryPath.ts"

/** Whether `ancestor` is `commit` or lies behind it. Both must be there. */
export const isAncestor = (
  gitDir: string,
  ancestor: string,
  commit: string
): Effect.Effect<boolean, RepositoriesUnavailable> => {
  const args = ["merge-base", "--is-ancestor", ancestor, commit]
  return Effect.flatMap(short({ gitDir, args }), (result) =>
    result.code <= 1 ? Effect.succeed(result.code === 0) : failed(args, result)
  )
}

// Where two sides cannot share a name, git sets one aside under `name~<commit>`.
const plainPath = (path: string): string => path.replace(/~[0-9a-f]{40}(_[0-9]+)?$/, "")

/** The paths in conflict, out of what `merge-tree -z --name-only` says after the tree's id. */
const conflictPaths = (fields: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = fields.indexOf("")
  const paths = new Set(fields.slice(0, end < 0 ? undefined : end).map(plainPath))
  // Then the messages: a number, that many paths, a kind, a text. Some conflicts stand only here.
  for (let at = end + 1; end >= 0 && at < fields.length;) {
    const count = Number(fields[at])
    if (fields[at] === "" || !Number.isInteger(count)) break
    if (fields[at + count + 1]?.startsWith("CONFLICT"))
      for (const path of fields.slice(at + 1, at + 1 + count)) paths.add(plainPath(path))
    at += count + 3
  }
  return [...paths].sort(compareCodePoints)
}

/** The contents of files in a merge, by path; they are in no conflict. */
type Contents = ReadonlyMap<string, Uint8Array>

/** The merged tree, or `undefined` when git could not merge because something is not there. */
const mergeTree = Effect.fnUntraced(function* (
  gitDir: string,
  ours: string,
  theirs: string,
  contents: Contents
): Effect.fn.Return<string | undefined, MergeConflict | RepositoriesUnavailable> {
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--allow-unrelated-histories", ours, theirs]
  const { code, stdout } = yield* run({ gitDir, args, maxBytes: LocalLimits.gitListingBytes }).pipe(
    Effect.catchTag(
      "TooMuchOutput",
      () => new RepositoriesUnavailable({ operation: "merge-tree", reason: "it said too much" })
    )
  )
  const [tree = "", ...fields] = stdout.toString("utf8").split("\0")
  // git exits with 1 for an object that is not there as it does for a conflict: only a tree's id tells them apart.
  if (!isObjectId(tree) || code > 1) return undefined
  const paths = code === 0 ? [] : conflictPaths(fields)
  // What git says of a conflict without a path is one all the same.
  const isSettled = code === 0 || (paths.length > 0 && paths.every((path) => contents.has(path)))
  return isSettled ? tree : yield* new MergeConflict({ paths })
})

/** The tree of a commit merged into another. `"contained"` when it is there already, `"failed"` when git could not tell. */
export const mergeCommit = Effect.fnUntraced(function* (
  gitDir: string,
  { known, readers }: Pick<GitWriter, "known" | "readers">,
  {
    contents = new Map(),
    ours,
    theirs
  }: { readonly ours: CommitRef; readonly theirs: string; readonly contents?: Contents }
): Effect.fn.Return<
  EditedTree | "contained" | "failed",
  MergeConflict | InvalidPath | TreeTooLarge | RepositoriesUnavailable
> {
  // What is not there fails both: the answer of the merge says so.
  const guard = Effect.catchTag(known.guard(gitDir, theirs), "RepositoriesUnavailable", () => Effect.void)
  // Meanwhile all is made ready by which the merged tree is looked at: the listing before it, and a reader that runs.
  const ready = [Effect.option(known.list(gitDir, ours.tree)), Effect.option(readers.info(gitDir, theirs))]
  const [tree] = yield* Effect.all([mergeTree(gitDir, ours.commit, theirs, contents), guard, ...ready], {
    concurrency: "unbounded"
  })
  if (tree === undefined) return "failed"
  // Merging what is there already changes nothing; only then is it worth a look whether it is.
  if (tree === ours.tree && (yield* isAncestor(gitDir, theirs, ours.commit))) return "contained"
  const merged = yield* known.listAfter(gitDir, tree, ours.tree)
  if (contents.size === 0) {
    yield* Effect.fromResult(checkTree(merged.files))
    return { tree, objects: [] }
  }
  const edits = [...contents].map(([path, bytes]) => [path, { base64: Base64.encode(bytes) }] as const)
  return yield* Effect.fromResult(editTree(merged, Object.fromEntries(edits)))
})
