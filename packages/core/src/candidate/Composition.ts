/** What makes a Candidate the same Candidate: Project, base and ChangeSets, in order. */
import { Effect } from "effect"
import { canonicalJson, sha256 } from "../primitives/Digest.ts"
import type { CandidateId } from "../primitives/Ids.ts"

/** What the id of a Candidate is a digest of. */
export interface Composition {
  readonly project: string
  readonly base: { readonly generation: number; readonly tree: string }
  /** Ids in Work Graph order, then in order of creation. */
  readonly changeSets: ReadonlyArray<string>
  /** Above 1 only when a Candidate that was rejected for gaps alone is asked for again. */
  readonly attempt: number
}

/** `cand_` and the first 24 hex characters of the SHA-256 over the canonical JSON of the composition. */
export const candidateIdOf = (composition: Composition): Effect.Effect<CandidateId> => {
  const { attempt, ...key } = composition
  return Effect.map(
    sha256(canonicalJson(attempt > 1 ? { ...key, attempt } : key)),
    (digest): CandidateId => `cand_${digest.slice(0, 24)}`
  )
}
