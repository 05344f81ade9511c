/**
 * Merges for whoever is to mend a conflict: what merges is merged, and files that do not stay as they were. The commit
 * stands on all ChangeSets, so that none of them is merged once more when what was mended is composed.
 */
import { Effect } from "effect"
import type { ChangeSet } from "../model/ChangeSet.ts"
import { Base64 } from "effect/encoding"
import { mergedPackages, mergeLocked, mergeOf } from "./LockedMerge.ts"
import { sameBytes } from "../primitives/Digest.ts"
import { type FileContent, Repositories, type RepositoryRef, type Signature } from "../project/Repositories.ts"
import { readBytes } from "../project/Source.ts"

interface ApartMerge {
  readonly into: RepositoryRef & { readonly fork: string }
  readonly base: string
  readonly changeSets: ReadonlyArray<ChangeSet>
  readonly signature: Signature
}

/** What becomes of one file that a ChangeSet touches, beside what is there; `undefined` leaves it. */
const fileOf = Effect.fnUntraced(function* (
  ref: RepositoryRef,
  path: string,
  trees: { readonly base: string; readonly ours: string; readonly theirs: string }
) {
  const [base, ours, theirs] = yield* Effect.all([
    readBytes(ref, trees.base, path),
    readBytes(ref, trees.ours, path),
    readBytes(ref, trees.theirs, path)
  ])
  const isUntouched = base === null || ours === null ? base === ours : sameBytes(base, ours)
  if (isUntouched) return theirs
  if (base === null || ours === null || theirs === null) return undefined
  return (yield* (yield* Repositories).mergeFile(ref, { base, ours, theirs })) ?? undefined
})

/** One ChangeSet that does not merge: its files that do, in a merge that says that it is all there. */
const mergePart = Effect.fnUntraced(function* (
  { into, signature }: ApartMerge,
  tip: { readonly commit: string; readonly tree: string },
  changeSet: ChangeSet
) {
  const repositories = yield* Repositories
  const { commit, from, message } = mergeOf(changeSet)
  // It is fetched by way of a commit on it: a merge that did not come to its end leaves nothing behind.
  yield* repositories.commit({ into, base: commit, from: [from], edits: {}, message, signature })
  const theirs = yield* repositories.resolve(into, commit)
  const [parent = changeSet.baseCommit] = yield* repositories.parents(into, commit)
  const base = yield* repositories.resolve(into, parent)
  const touched = yield* repositories.diff(into, base.tree, theirs.tree)
  const trees = { base: base.tree, ours: tip.tree, theirs: theirs.tree }
  const edits: Record<string, FileContent | null> = {}
  const packages = yield* mergedPackages(into, trees)
  for (const { path } of touched) {
    const made = packages.get(path) ?? (yield* fileOf(into, path, trees))
    if (made !== undefined) edits[path] = made === null ? null : { base64: Base64.encode(made) }
  }
  const { tree } = yield* repositories.commit({ into, base: tip.commit, edits, message, signature })
  return yield* repositories.commitTree({ into, tree, parents: [tip.commit, commit], message, signature })
})

/**
 * Merges ChangeSets in order, each as far as it goes, locks as composing merges them but without a registry. Repeating it
 * gives the same commit.
 */
export const mergeApart = Effect.fnUntraced(function* (merge: ApartMerge) {
  const repositories = yield* Repositories
  const { into, signature } = merge
  const tree = (yield* repositories.resolve({ project: into.project }, merge.base)).tree
  let tip = { commit: merge.base, tree }
  for (const changeSet of merge.changeSets) {
    const before = tip
    tip = yield* mergeLocked({ into, base: before.commit, changeSets: [changeSet], signature, mergedOnly: true }).pipe(
      Effect.catchTags({
        MergeConflict: () => mergePart(merge, before, changeSet),
        PackagesUnfit: () => mergePart(merge, before, changeSet)
      })
    )
  }
  return tip
})
