/** Retries: that one which counts is the only one of its failure, and that both rows and what each printed are there. */
import { Effect } from "effect"
import type { Thing } from "./Material.ts"
import { isLooked, objectOf, type Proof } from "./ProofState.ts"
import type { EvidenceText } from "./RecordShapes.ts"
import type { CheckedFact } from "./StatementShapes.ts"

const isOfSame = (row: EvidenceText, failure: EvidenceText): boolean =>
  row.checkId === failure.checkId &&
  row.tree === failure.tree &&
  row.commit === failure.commit &&
  row.subject.candidateId === failure.subject.candidateId

/** Why a row may not take the place of the failure that it is the retry of; null when it may. */
const retryProblem = (row: EvidenceText, failure: EvidenceText): string | null => {
  if (failure.result !== "fail") return "what it retries did not fail"
  if (failure.retryOf !== undefined) return "what it retries is a retry itself"
  if (!isOfSame(row, failure)) return "it retries another check, tree or Candidate"
  if (row.reuses !== undefined) return "it ran nothing"
  if (row.result !== "pass") return "it did not pass"
  return (row.attempt ?? 0) > (failure.attempt ?? 0) ? null : "it did not come after the failure"
}

/** The retry that a check stands on: of one failure, which stays. `rowOf` reads a row that a statement names. */
export const checkRetryRows = Effect.fnUntraced(function* <E, R>(
  proof: Proof,
  where: string,
  { id, retryOf }: CheckedFact,
  row: EvidenceText,
  rowOf: (named: NonNullable<CheckedFact["retryOf"]>) => Effect.Effect<EvidenceText | null, E, R>
) {
  if (retryOf === undefined) return
  const failure = yield* rowOf(retryOf)
  if (failure === null) return
  const problem = retryProblem(row, failure)
  if (problem !== null) proof.findings.say(where, "evidence_retry_mismatch", `${id}: ${problem}`)
  const { finishedAt: at, outputDigest: sha256 } = failure
  if (sha256 === null) return
  const thing: Thing = { as: "output", sha256, evidence: retryOf.id, ...(at === undefined ? {} : { at }) }
  if (!isLooked(proof, { ...thing, name: retryOf.id })) yield* objectOf(proof, where, thing)
})
