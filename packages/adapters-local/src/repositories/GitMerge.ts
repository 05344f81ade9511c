/** One merge without a worktree: `merge-tree`, then `commit-tree`. */
import { Effect } from "effect"
import { compareCodePoints } from "@pawl/core/primitives/CodePoints"
import { checkTree } from "@pawl/core/project/Edits"
import { LocalLimits } from "../LocalLimits.ts"
import {
  type InvalidPath,
  MergeConflict,
  RepositoriesUnavailable,
  type Signature,
  type TreeTooLarge
} from "@pawl/core/project/Repositories"
import { failed, run, short, succeed } from "./GitCommand.ts"
import { plainMessage, plainSignature } from "./GitObjects.ts"
import { readTree } from "./GitTree.ts"
import type { KnownTrees } from "./KnownTrees.ts"
import { isObjectId } from "./RepositoryPath.ts"

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

export const commitTree = (
  gitDir: string,
  options: {
    readonly tree: string
    readonly parents: ReadonlyArray<string>
    readonly message: string
    readonly signature: Signature
  }
): Effect.Effect<string, RepositoriesUnavailable> => {
  const { email, name, seconds } = plainSignature(options.signature)
  const date = `@${seconds} +0000`
  const env = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date
  }
  const args = ["commit-tree", options.tree, ...options.parents.flatMap((parent) => ["-p", parent])]
  return Effect.flatMap(succeed({ gitDir, args, env, stdin: plainMessage(options.message) }), (stdout) => {
    const commit = stdout.toString("latin1").trim()
    return isObjectId(commit)
      ? Effect.succeed(commit)
      : new RepositoriesUnavailable({ operation: "commit-tree", reason: "it named no commit" })
  })
}

// Where two sides cannot share a name, git sets one aside under `name~<commit>`.
const plainPath = (path: string): string => path.replace(/~[0-9a-f]{40}(_[0-9]+)?$/, "")

/** The paths in conflict, out of what `merge-tree -z --name-only` says after the tree's id. */
export const conflictPaths = (fields: ReadonlyArray<string>): ReadonlyArray<string> => {
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

/** The merged tree, or `undefined` when git could not merge because something is not there. */
const mergeTree = Effect.fnUntraced(function* (
  gitDir: string,
  ours: string,
  theirs: string
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
  return code === 0 ? tree : yield* new MergeConflict({ paths: conflictPaths(fields) })
})

/** Merges a commit into another. `"contained"` when it is there already, `"failed"` when git could not tell. */
export const mergeCommit = Effect.fnUntraced(function* (
  gitDir: string,
  known: KnownTrees,
  options: { readonly ours: string; readonly theirs: string; readonly message: string; readonly signature: Signature }
): Effect.fn.Return<
  { readonly commit: string; readonly tree: string } | "contained" | "failed",
  MergeConflict | InvalidPath | TreeTooLarge | RepositoriesUnavailable
> {
  const { message, ours, signature, theirs } = options
  // What is not there fails all three: the answer of the merge says so.
  const guard = Effect.catchTag(known.guard(gitDir, theirs), "RepositoriesUnavailable", () => Effect.void)
  const [contained, merged] = yield* Effect.all(
    [Effect.result(isAncestor(gitDir, theirs, ours)), Effect.result(mergeTree(gitDir, ours, theirs)), guard],
    { concurrency: "unbounded" }
  )
  if (contained._tag === "Success" && contained.success) return "contained"
  const tree = yield* Effect.fromResult(merged)
  if (tree === undefined) return "failed"
  yield* Effect.fromResult(contained)
  const validated = Effect.flatMap(readTree(gitDir, tree), ({ files }) => Effect.fromResult(checkTree(files)))
  const [commit] = yield* Effect.all(
    [commitTree(gitDir, { tree, parents: [ours, theirs], message, signature }), validated],
    { concurrency: 2 }
  )
  known.add(commit, tree)
  return { commit, tree }
})
