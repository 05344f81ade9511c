/** What the predictions of an entry came to: what each was made on, why it fell, and for whom. */
import { Effect, Schema } from "effect"
import { Records } from "../ledger/Records.ts"
import type { EntryRows } from "../lane/LaneReading.ts"
import { type Candidate, FellCode } from "../model/Candidate.ts"
import { CandidateId, ChangeId } from "../primitives/Ids.ts"
import { short } from "../primitives/ShortText.ts"
import { Timestamp } from "../primitives/Time.ts"

/** One that came to nothing. */
export const WhyPrediction = Schema.Struct({
  candidateId: CandidateId,
  /** The Candidate that it was made on; null for canonical. */
  ahead: Schema.NullOr(CandidateId),
  /** What it was to become. */
  generation: Schema.Finite,
  /** Why it fell. */
  reason: Schema.String,
  /** For whom it fell. Not there where nobody else did anything, and of what an earlier version refuted. */
  fell: Schema.optionalKey(
    Schema.Struct({
      code: FellCode,
      changeId: ChangeId,
      /** The first words of that Change's goal. */
      title: Schema.String,
      /** What became of that Change, in words that go on from its title. */
      reason: Schema.String
    })
  ),
  at: Timestamp
})
export interface WhyPrediction extends Schema.Schema.Type<typeof WhyPrediction> {}

const words: Readonly<Record<FellCode, string>> = {
  failed: "failed",
  retried: "failed a check, which ran once more",
  cancelled: "was cancelled",
  withdrawn: "was taken out of the lane",
  new_work: "left the lane for newer work",
  refused: "was rejected by an approver",
  aside: "stood aside until people decide",
  overtaken: "was put before it",
  moved: "was put behind it",
  promoted_past: "was promoted before it",
  rolled_back: "is a rollback, and was promoted before it",
  anew: "was made anew",
  gone: "had lost its commit",
  conflict: "could not be merged with it"
}

/** Of the Candidates of a Change, those made for an entry that came to nothing, the oldest first. */
export const predictionsOf = Effect.fnUntraced(function* (candidates: ReadonlyArray<Candidate>, { entry }: EntryRows) {
  const { candidateId, changeSets, enteredAt } = entry.record
  const own = candidates.filter(
    (each) =>
      each.prediction !== undefined &&
      each.updatedAt >= enteredAt &&
      each.changeSets.join() === changeSets.join() &&
      (each.status === "stale" || each.status === "blocked" || (each.status === "rejected" && each.id !== candidateId))
  )
  const culprits = own.flatMap(({ fell }) => (fell === undefined ? [] : [fell.changeId]))
  const changes = yield* (yield* Records).many("change", culprits)
  return own.map(({ ahead, baseGeneration, fell, id, reason, updatedAt }): WhyPrediction => {
    const title = short(changes.get(fell?.changeId ?? "")?.record.goal ?? "")
    return {
      candidateId: id,
      ahead,
      generation: baseGeneration + 1,
      reason: reason ?? "",
      ...(fell === undefined
        ? {}
        : { fell: { code: fell.code, changeId: fell.changeId, title, reason: words[fell.code] } }),
      at: updatedAt
    }
  })
})
