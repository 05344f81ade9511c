/**
 * What a Candidate is made on: canonical, or the Candidate of one that stands before it in the lane, which will be
 * canonical when that one lands.
 */
import { Effect } from "effect"
import { find } from "../ledger/Decision.ts"
import type { Candidate, RejectionCode } from "../model/Candidate.ts"
import { generationKey } from "../model/Entities.ts"
import type { Head } from "../model/Generation.ts"
import { rejectionOf } from "../model/StoredReasons.ts"
import { type CandidateId, candidateFork } from "../primitives/Ids.ts"
import { Repositories, type RepositoryRef } from "../project/Repositories.ts"

/** Which of the two it is. */
export type Base = { readonly _tag: "Canonical" } | { readonly _tag: "Ahead"; readonly candidateId: CandidateId }

/** The end of a line of generations, there or predicted. */
export type LineEnd = Pick<Head, "projectId" | "generation" | "commit" | "tree">

/** What a Candidate was made on. */
export const baseOf = ({ ahead }: Pick<Candidate, "ahead">): Base =>
  ahead === null ? { _tag: "Canonical" } : { _tag: "Ahead", candidateId: ahead }

/** What canonical will be once this Candidate has landed; null while it is not composed. */
export const predictedHead = ({ baseGeneration, commit, projectId, tree }: Candidate): LineEnd | null =>
  commit === null || tree === null ? null : { projectId, generation: baseGeneration + 1, commit, tree }

/** Where the base of a Candidate is found, beside its own fork and canonical. */
export const baseForks = ({ ahead, projectId }: Candidate): ReadonlyArray<RepositoryRef> =>
  ahead === null ? [] : [{ project: projectId, fork: candidateFork(ahead) }]

/** Whether the base's commit is still to be had: the fork of the one ahead goes when that one is ended. */
export const isBaseThere = Effect.fnUntraced(function* (candidate: Candidate) {
  const repositories = yield* Repositories
  const own = { project: candidate.projectId, fork: candidateFork(candidate.id) }
  for (const ref of [...baseForks(candidate), own, { project: candidate.projectId }]) {
    const found = yield* repositories.resolve(ref, candidate.baseCommit).pipe(
      Effect.as(true),
      Effect.catchTag("ObjectNotFound", () => Effect.succeed(false))
    )
    if (found) return true
  }
  return false
})

/** Whether what a Candidate was made on is canonical, or was. */
export const isBaseCanonical = Effect.fnUntraced(function* ({ ahead, baseCommit, ...candidate }: Candidate) {
  if (ahead === null) return true
  const { baseGeneration, projectId } = candidate
  return (yield* find("generation", generationKey(projectId, baseGeneration)))?.record.commit === baseCommit
})

/** What people decided, on whatever it was made. */
const decided: ReadonlySet<RejectionCode | null> = new Set(["rejected_by_person", "change_cancelled"])

/** Whether it was rejected for what it came to on a prediction that has not become canonical: nobody is to blame. */
export const hasFailedOnPrediction = Effect.fnUntraced(function* (candidate: Candidate) {
  if (candidate.status !== "rejected" || decided.has(rejectionOf(candidate))) return false
  return !(yield* isBaseCanonical(candidate))
})
