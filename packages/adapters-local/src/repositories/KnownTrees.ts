/**
 * The trees that this process has seen to be within Pawl's bounds, by their id or a commit's. `merge-tree` and
 * `diff-tree` gather all of a tree before they say a word: one of ten objects can be a billion entries.
 */
import { Effect } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import type { InvalidPath, RepositoriesUnavailable, TreeTooLarge } from "@pawl/core/project/Repositories"
import type { GitReaders } from "./GitReaders.ts"
import { readTree, type Tree } from "./GitTree.ts"
import { walkTree } from "./GitTreeWalk.ts"

/** Which trees are within bounds, and the listings of the latest. */
export interface KnownTrees {
  readonly add: (...ids: ReadonlyArray<string>) => void
  /** Keeps the listing of a tree that was made here, within bounds. */
  readonly keep: (tree: Tree) => void
  /** Fails when the tree is out of bounds. To be run beside the work that it guards, which its failure then stops. */
  readonly guard: (
    gitDir: string,
    id: string
  ) => Effect.Effect<void, InvalidPath | TreeTooLarge | RepositoriesUnavailable>
  /** All that is under a tree, which the caller knows to be there. */
  readonly list: (
    gitDir: string,
    id: string
  ) => Effect.Effect<Tree, InvalidPath | TreeTooLarge | RepositoriesUnavailable>
  /** The same of a tree that was made out of another: where that one's listing is there, only what differs is read. */
  readonly listAfter: (
    gitDir: string,
    id: string,
    base: string
  ) => Effect.Effect<Tree, InvalidPath | TreeTooLarge | RepositoriesUnavailable>
}

/** Keeps at most `LocalLimits.gitKnownTrees` ids, and listings of `LocalLimits.gitListedEntries` entries in all. */
export const make = (readers: GitReaders): KnownTrees => {
  // In order of arrival: the oldest is forgotten, and looked at again when it comes back.
  const known = new Set<string>()
  const listed = new Map<string, Tree>()
  let entries = 0
  const add = (...ids: ReadonlyArray<string>): void => {
    for (const id of ids) known.add(id)
    for (const id of known) {
      if (known.size <= LocalLimits.gitKnownTrees) break
      known.delete(id)
    }
  }
  const remember = (id: string, tree: Tree): Tree => {
    add(id)
    if (!listed.has(id)) entries += tree.directories.size + tree.files.size
    listed.set(id, tree)
    for (const [oldest, { directories, files }] of listed) {
      if (entries <= LocalLimits.gitListedEntries) break
      listed.delete(oldest)
      entries -= directories.size + files.size
    }
    return tree
  }
  // What a tree is does not change: an answer is kept for whoever asks next.
  const list: KnownTrees["list"] = (gitDir, id) =>
    Effect.suspend(() => {
      const there = listed.get(id)
      return there === undefined
        ? Effect.map(readTree(gitDir, id), (tree) => remember(id, tree))
        : Effect.succeed(there)
    })
  return {
    add,
    keep: (tree) => void remember(tree.id, tree),
    guard: (gitDir, id) => Effect.suspend(() => (known.has(id) ? Effect.void : Effect.asVoid(list(gitDir, id)))),
    list,
    listAfter: (gitDir, id, base) =>
      Effect.suspend(() => {
        const before = listed.get(base)
        if (before === undefined || listed.has(id)) return list(gitDir, id)
        return walkTree(readers, gitDir, id, before).pipe(
          Effect.map((tree) => remember(id, tree)),
          Effect.catchTag("RepositoriesUnavailable", () => list(gitDir, id))
        )
      })
  }
}
