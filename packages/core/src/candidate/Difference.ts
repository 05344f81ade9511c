/** What a Candidate does to its base, file by file: two that do the same are alike to who reads their diffs. */
import { Effect } from "effect"
import type { Candidate } from "../model/Candidate.ts"
import type { Policy } from "../model/Policy.ts"
import { canonicalJson, sha256 } from "../primitives/Digest.ts"
import { Repositories, type RepositoryRef, type TreeEntry } from "../project/Repositories.ts"

/** A file as a tree has it. */
type Entry = Pick<TreeEntry, "executable" | "id" | "path" | "type">

const filesIn = (entries: ReadonlyArray<Entry>): ReadonlyMap<string, string> =>
  new Map(
    entries
      .filter(({ type }) => type === "file")
      .map(({ executable, id, path }) => [path, `${executable ? "100755" : "100644"} ${id}`])
  )

/**
 * Canonical JSON: for each path that differs, sorted, its mode and blob before and after; null where there is no file.
 * What stood there before belongs to it: the same lines put into another file are another change.
 */
export const differenceText = (before: ReadonlyArray<Entry>, after: ReadonlyArray<Entry>): string => {
  const [from, to] = [filesIn(before), filesIn(after)]
  const touched = [...new Set([...from.keys(), ...to.keys()])].filter((path) => from.get(path) !== to.get(path)).sort()
  return canonicalJson(touched.map((path) => [path, from.get(path) ?? null, to.get(path) ?? null]))
}

/** The SHA-256 of `differenceText` of two trees. */
export const differenceOf = Effect.fnUntraced(function* (ref: RepositoryRef, base: string, tree: string) {
  const repositories = yield* Repositories
  return yield* sha256(differenceText(yield* repositories.list(ref, base), yield* repositories.list(ref, tree)))
})

/** Whether the Policy carries approvals over. Off the lane none are. */
export const isCarrying = ({ lane }: Pick<Policy, "lane">): boolean =>
  lane?.mode === "on" && lane.carryApprovals === "same-blobs"

/** What is kept of it with a Candidate: nothing where no approval can be carried over. */
export const differenceKept = Effect.fnUntraced(function* (
  ref: RepositoryRef,
  { baseTree }: Pick<Candidate, "baseTree">,
  tree: string,
  policy: Pick<Policy, "lane">
) {
  return isCarrying(policy) ? { diff: yield* differenceOf(ref, baseTree, tree) } : {}
})
