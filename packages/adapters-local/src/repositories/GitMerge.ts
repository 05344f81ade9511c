/** One merge without a worktree: by the listings where the two sides touch other files, else by `merge-tree`. */
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
import { disjointChanges } from "./DisjointMerge.ts"
import { failed, run, short } from "./GitCommand.ts"
import { type EditedTree, editTree, overlaidTree } from "./GitTree.ts"
import type { GitWriter } from "./GitWriter.ts"
import { mergeBase } from "./MergeBase.ts"
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
  settings: ReadonlyArray<string>,
  { contents, ours, theirs }: { readonly ours: string; readonly theirs: string; readonly contents: Contents }
): Effect.fn.Return<string | undefined, MergeConflict | RepositoriesUnavailable> {
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--allow-unrelated-histories", ours, theirs]
  const { code, stdout } = yield* run({ gitDir, args, settings, maxBytes: LocalLimits.gitListingBytes }).pipe(
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

type Merging = Pick<GitWriter, "commits" | "known" | "readers" | "settings">

/**
 * The merge of two sides that touch other files, without a process: all of the tree, and what of it is to be written.
 * `"contained"` as in `mergeCommit`; null where git has to look, or something is not there.
 */
const mergeApart = Effect.fnUntraced(function* (
  gitDir: string,
  { commits, known, readers }: Merging,
  ours: CommitRef,
  theirs: string
) {
  // What is known of a commit does not say that this repository has it.
  if ((yield* readers.info(gitDir, theirs))?.type !== "commit") return null
  const base = yield* mergeBase(commits, gitDir, ours.commit, theirs)
  if (base === null) return null
  if (base === theirs) return "contained" as const
  const [from, to] = [yield* commits.of(gitDir, base), yield* commits.of(gitDir, theirs)]
  if (from === undefined || to === undefined || (yield* readers.info(gitDir, to.tree))?.type !== "tree") return null
  const own = yield* known.list(gitDir, ours.tree)
  const before = yield* known.listAfter(gitDir, from.tree, ours.tree)
  const after = yield* known.listAfter(gitDir, to.tree, from.tree)
  if (from.tree === ours.tree) return { made: after, objects: [] }
  const changes = disjointChanges(before.files, own.files, after.files)
  return changes === null ? null : overlaidTree(own, changes)
})

/** The tree of a commit merged into another. `"contained"` when it is there already, `"failed"` when git could not tell. */
export const mergeCommit = Effect.fnUntraced(function* (
  gitDir: string,
  merging: Merging,
  {
    contents = new Map(),
    ours,
    theirs
  }: { readonly ours: CommitRef; readonly theirs: string; readonly contents?: Contents }
): Effect.fn.Return<
  EditedTree | "contained" | "failed",
  MergeConflict | InvalidPath | TreeTooLarge | RepositoriesUnavailable
> {
  const { known, readers } = merging
  if (contents.size === 0) {
    const apart = yield* mergeApart(gitDir, merging, ours, theirs).pipe(
      Effect.catchTag("RepositoriesUnavailable", () => Effect.succeed(null))
    )
    if (apart === "contained") return apart
    if (apart !== null) {
      yield* Effect.fromResult(checkTree(apart.made.files))
      known.keep(apart.made)
      return { tree: apart.made.id, objects: apart.objects }
    }
  }
  // What is not there fails both: the answer of the merge says so.
  const guard = Effect.catchTag(known.guard(gitDir, theirs), "RepositoriesUnavailable", () => Effect.void)
  // Meanwhile all is made ready by which the merged tree is looked at: the listing before it, and a reader that runs.
  const ready = [Effect.option(known.list(gitDir, ours.tree)), Effect.option(readers.info(gitDir, theirs))]
  const [tree] = yield* Effect.all(
    [mergeTree(gitDir, merging.settings, { ours: ours.commit, theirs, contents }), guard, ...ready],
    {
      concurrency: "unbounded"
    }
  )
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
