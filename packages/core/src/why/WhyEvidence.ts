/** Where the evidence of a check comes from: run for this Candidate, once more after a failure, or not at all. Pure. */
import { Schema } from "effect"
import { type Evidence, EvidenceResult } from "../model/Evidence.ts"
import { CandidateId, EvidenceId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

/** How the row came to be that a check is judged by. Nothing of it is there of one that ran once. */
export const EvidenceOrigin = {
  /** Of one that did not run: what it repeats. */
  repeats: Schema.optionalKey(
    Schema.Struct({
      /** The row of the Candidate for which it ran. */
      evidenceId: EvidenceId,
      candidateId: CandidateId,
      /** What was the same: the whole tree, or the check's declared inputs alone. */
      by: Schema.Literals(["tree", "inputs"]),
      /** When that one ended. */
      finishedAt: Timestamp
    })
  ),
  /** Of one that failed and ran once more on the same tree: both rows, and what the second one came to. */
  retried: Schema.optionalKey(
    Schema.Struct({ failureId: EvidenceId, retryId: EvidenceId, result: EvidenceResult, summary: Schema.String })
  )
}
const Origin = Schema.Struct(EvidenceOrigin)
interface Origin extends Schema.Schema.Type<typeof Origin> {}

const repeats = (row: Evidence, repeated: ReadonlyArray<Evidence>): Origin => {
  const earlier = repeated.find(({ id }) => id === row.reuses)
  const candidateId = earlier?.subject.candidateId
  if (earlier === undefined || candidateId === undefined) return {}
  const by = earlier.tree === row.tree ? ("tree" as const) : ("inputs" as const)
  return { repeats: { evidenceId: earlier.id, candidateId, by, finishedAt: earlier.finishedAt } }
}

const retried = (row: Evidence, rows: ReadonlyArray<Evidence>): Origin => {
  const retry = row.retryOf === undefined ? rows.find(({ retryOf }) => retryOf === row.id) : row
  if (retry?.retryOf === undefined) return {}
  const { id: retryId, result, retryOf: failureId, summary } = retry
  return { retried: { failureId, retryId, result, summary } }
}

/** Of the row that a check is judged by, among all of its Candidate and those that these repeat. */
export const originOf = (
  row: Evidence | undefined,
  {
    evidence,
    repeated = []
  }: { readonly evidence: ReadonlyArray<Evidence>; readonly repeated?: ReadonlyArray<Evidence> }
): Origin => (row === undefined ? {} : { ...repeats(row, repeated), ...retried(row, evidence) })
