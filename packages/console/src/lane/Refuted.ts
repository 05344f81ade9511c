/** Candidates of an entry that came to nothing, each from when it was made to when it fell. Pure. */
import type { Answer } from "../api/Wire.ts"
import type { Candidate } from "../change/Records.ts"
import type { Ran } from "./Axis.ts"
import type { Entry } from "./EntryState.tsx"

type Predictions = NonNullable<Answer<"lane", "entry">["why"]>["predictions"]

const over = new Set<Candidate["status"]>(["stale", "rejected", "blocked"])

/** Those of this entry. What became of its newest one is the entry's own state. */
export const fallenOf = (
  { candidateId, enteredAt }: Pick<Entry, "candidateId" | "enteredAt">,
  candidates: ReadonlyArray<Candidate>
): ReadonlyArray<Candidate> =>
  candidates.filter(({ id, status, updatedAt }) => over.has(status) && id !== candidateId && updatedAt >= enteredAt)

/** As `fallenOf`, in the words of the lane where it is asked: of an entry that has ended it is not. */
export const refutedOf = (
  entry: Pick<Entry, "candidateId" | "enteredAt">,
  candidates: ReadonlyArray<Candidate>,
  predictions: Predictions | null
): ReadonlyArray<Ran> => {
  const all =
    predictions ??
    fallenOf(entry, candidates).map(({ base_generation, id, reason, updatedAt }) => {
      return { candidateId: id, generation: base_generation + 1, reason: reason ?? "", at: updatedAt }
    })
  return all.flatMap(({ at, candidateId, generation, reason }) => {
    const made = candidates.find(({ id }) => id === candidateId)
    if (made === undefined) return []
    return [{ name: `as S${generation}`, result: "refuted", from: made.createdAt, to: at, reason }]
  })
}
