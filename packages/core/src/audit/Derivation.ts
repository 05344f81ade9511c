/**
 * Derives a generation's commit anew: from its base, ChangeSet by ChangeSet, each merge checked by the audit's own
 * code against what the repository holds.
 */
import { Effect } from "effect"
import { type CommitRef, Repositories, type RepositoryRef } from "../project/Repositories.ts"
import type { FindingCode, Note } from "../model/Audit.ts"
import type { DerivedFile } from "../model/DerivedFile.ts"
import { derivedFiles } from "./DerivedFiles.ts"
import { differences } from "./TreeMerge.ts"

/** A generation's commit, and what it is said to be made of. */
export interface Derivation {
  readonly ref: RepositoryRef
  readonly base: CommitRef
  readonly result: CommitRef
  /** The commits of its ChangeSets, in the order of composition. */
  readonly commits: ReadonlyArray<string>
  /** Every commit that the base was made of, the base among them. */
  readonly reached: ReadonlySet<string>
  /** Files that its record says Pawl made, by the commit of the ChangeSet in whose merge they stand. */
  readonly derived: ReadonlyMap<string, ReadonlyArray<DerivedFile>>
}

/** What the history says against what it must say. */
export interface Difference {
  readonly code: FindingCode | Note["code"]
  readonly detail: string
  /** It is nothing wrong. */
  readonly isNote?: true
}

const parentsOf = (ref: RepositoryRef, commit: string) =>
  Effect.flatMap(Repositories, (repositories) => repositories.parents(ref, commit))

const treeOf = (ref: RepositoryRef, commit: string) =>
  Effect.map(
    Effect.flatMap(Repositories, (repositories) => repositories.resolve(ref, commit)),
    ({ tree }) => tree
  )

/** The commits that this one was made of and that are not in `reached`, and those in it that they stand on. */
const walk = Effect.fnUntraced(function* (ref: RepositoryRef, commit: string, isReached: (commit: string) => boolean) {
  const [fresh, edge] = [new Set<string>(), new Set<string>()]
  const waiting = [commit]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (isReached(next)) edge.add(next)
    else if (!fresh.has(next)) {
      fresh.add(next)
      waiting.push(...(yield* parentsOf(ref, next)))
    }
  }
  return { fresh, edge }
})

/** Adds the ids of a commit and of all that it was made of to `reached`. Fails with `ObjectNotFound`. */
export const addReachable = (ref: RepositoryRef, commit: string, reached: Set<string>) =>
  Effect.map(
    walk(ref, commit, (each) => reached.has(each)),
    ({ fresh }) => {
      for (const each of fresh) reached.add(each)
    }
  )

/** Of commits, those that none of the others was made of. */
const nearest = Effect.fnUntraced(function* (ref: RepositoryRef, commits: ReadonlySet<string>) {
  const kept = new Set(commits)
  if (commits.size < 2) return [...kept]
  for (const commit of commits) {
    const { fresh } = yield* walk(ref, commit, () => false)
    for (const other of commits) if (other !== commit && fresh.has(other)) kept.delete(other)
  }
  return [...kept]
})

interface Step {
  readonly commit: string
  readonly ours: string
  readonly theirs: string
}

/** The merges that lead from the base to the result, first to last; null when the line is another. */
const stepsOf = Effect.fnUntraced(function* ({ base, commits, ref, result }: Derivation) {
  const steps: Array<Step> = []
  for (let at = result.commit; at !== base.commit;) {
    const [ours, theirs, ...more] = yield* parentsOf(ref, at)
    if (ours === undefined || theirs === undefined || more.length > 0 || steps.length >= commits.length) return null
    steps.unshift({ commit: at, ours, theirs })
    at = ours
  }
  return steps
})

/** What is wrong with a commit that is said to be a base with ChangeSets merged in. Fails with `ObjectNotFound` when part of it is gone. */
export const derive = Effect.fnUntraced(function* (derivation: Derivation) {
  const { base, commits, reached, ref } = derivation
  const merged = new Set<string>()
  const isReached = (commit: string) => reached.has(commit) || merged.has(commit)
  const steps = yield* stepsOf(derivation)
  if (steps === null) {
    const detail = `${derivation.result.commit} is not ${base.commit} with ${commits.length} ChangeSet(s) merged in`
    return [{ code: "composition_mismatch", detail }] satisfies ReadonlyArray<Difference>
  }
  const found: Array<Difference> = []
  let [next, tree] = [0, base.tree]
  for (const commit of commits) {
    const { edge, fresh } = yield* walk(ref, commit, isReached)
    // What the line holds already is not merged again.
    if (fresh.size === 0) continue
    const merge = steps[next++]
    if (merge?.theirs !== commit) {
      found.push({
        code: "composition_mismatch",
        detail: `${commit} should have been merged next, not ${merge?.theirs ?? "nothing"}`
      })
      break
    }
    const result = yield* treeOf(ref, merge.commit)
    const made = derivation.derived.get(commit) ?? []
    found.push(...(yield* checkMerge(ref, merge, { ours: tree, result, edge, made })))
    tree = result
    for (const each of [...fresh, merge.commit]) merged.add(each)
  }
  if (found.length === 0 && next < steps.length)
    found.push({
      code: "composition_mismatch",
      detail: `${steps[next]?.theirs} was merged in, and is no ChangeSet of it`
    })
  return found
})

const checkMerge = Effect.fnUntraced(function* (
  ref: RepositoryRef,
  merge: Step,
  {
    edge,
    made,
    ours,
    result
  }: {
    readonly ours: string
    readonly result: string
    readonly edge: ReadonlySet<string>
    readonly made: ReadonlyArray<DerivedFile>
  }
) {
  const [base, ...others] = yield* nearest(ref, edge)
  if (base === undefined || others.length > 0) {
    const detail = `${merge.commit} has ${others.length === 0 ? "no merge base" : "several merge bases"}`
    return [{ code: "tree_not_derivable", detail }] satisfies ReadonlyArray<Difference>
  }
  const theirs = yield* treeOf(ref, merge.theirs)
  const trees = { ref, base: yield* treeOf(ref, base), ours, theirs, result }
  const { accepted, problems } = yield* derivedFiles(trees, made)
  const wrong = problems.map((detail): Difference => ({ code: "tree_not_derived", detail }))
  const paths = (yield* differences(trees)).filter((path) => !accepted.has(path))
  if (paths.length === 0) return wrong
  const named = paths.slice(0, 5).join(", ")
  const detail = `the merge of ${merge.theirs} differs at ${named}${paths.length > 5 ? `, and ${paths.length - 5} more` : ""}`
  return [...wrong, { code: "tree_not_derived", detail }] satisfies ReadonlyArray<Difference>
})
