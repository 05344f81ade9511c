/** Evidence: that each row is of what was promoted, and that one which repeats another's may. */
import { Effect } from "effect"
import { reuseProblem } from "../verification/ReuseRules.ts"
import { bundleIn, bundleOf, isDerived } from "./BundleProof.ts"
import type { Thing } from "./Material.ts"
import { isLooked, objectOf, type Proof, recordOf } from "./ProofState.ts"
import { type EvidenceText, isEvidence, type PlanText } from "./RecordShapes.ts"
import { checkRetryRows } from "./RetryProof.ts"
import type { CheckedFact, SourceDigest } from "./StatementShapes.ts"

/** What was promoted, for its evidence to be of. */
interface Of {
  readonly source: SourceDigest
  readonly candidate: string | undefined
  readonly bundle: string | null
  /** Null where it is not there. */
  readonly plan: PlanText | null
}

const rowOf = Effect.fnUntraced(function* (
  proof: Proof,
  where: string,
  { id, record }: Pick<CheckedFact, "id" | "record">
) {
  const read = yield* recordOf(proof, where, { kind: "evidence", id, sha256: record.sha256 })
  if (read === null) return null
  if (isEvidence(read.value)) return read.value
  proof.findings.say(where, "record_mismatch", `evidence ${id}: it is none`)
  return null
})

/** A row names the one that it repeats, and so must its statement. Answers that one, null where it is not there. */
const repeatedBy = Effect.fnUntraced(function* (
  proof: Proof,
  where: string,
  { id, reuses }: CheckedFact,
  row: EvidenceText
) {
  if (row.reuses !== reuses?.id) {
    const names = `it repeats ${row.reuses ?? "none"}, and is said to repeat ${reuses?.id ?? "none"}`
    proof.findings.say(where, "evidence_reuse_mismatch", `${id}: ${names}`)
    return null
  }
  return reuses === undefined ? null : yield* rowOf(proof, where, reuses)
})

/** A bundle that was given to another commit is the same but for that. The earlier one is the output of its build. */
const checkBundle = Effect.fnUntraced(function* (proof: Proof, where: string, { bundle, source }: Of, output: Thing) {
  if (bundle === null || proof.material.object === null) return
  const kept = yield* proof.material.object(output)
  const original = kept?.sha256 === output.sha256 ? yield* bundleIn(kept) : null
  const made = yield* bundleOf(proof, where, bundle, source.gitCommit)
  if (original !== null && made !== null && !isDerived(made, original, source.gitCommit))
    proof.findings.say(where, "evidence_reuse_mismatch", `${bundle} is not the bundle ${output.sha256}`)
})

/** The evidence of one check: of this very Candidate, commit and tree, with its output. */
export const checkEvidence = Effect.fnUntraced(function* (proof: Proof, where: string, checked: CheckedFact, of: Of) {
  const { findings } = proof
  const row = yield* rowOf(proof, where, checked)
  const earlier = row === null ? null : yield* repeatedBy(proof, where, checked, row)
  if (row !== null) {
    const { bundleDigest, checkId, commit, outputDigest, result, retryOf, status, subject, tree } = row
    const { candidate, source } = of
    const isOf = tree === source.gitTree && commit === source.gitCommit && subject.candidateId === candidate
    const output = checked.output?.sha256 ?? null
    const isStated = checkId === checked.check && result === checked.result && retryOf === checked.retryOf?.id
    if (!isOf || !isStated || outputDigest !== output) findings.say(where, "evidence_of_other", checked.id)
    else if (result === "pass" && status !== "checked_supported")
      findings.say(where, "check_unsatisfied", `${checked.check}: ${status}`)
    if (bundleDigest !== undefined && bundleDigest !== of.bundle) findings.say(where, "bundle_not_verified", checked.id)
    yield* checkRetryRows(proof, where, checked, row, (named) => rowOf(proof, where, named))
    const problem = earlier === null ? null : reuseProblem(row, earlier, of.plan === null ? "inputs" : of.plan.reuse)
    if (problem !== null) findings.say(where, "evidence_reuse_mismatch", `${checked.id}: ${problem}`)
  }
  const { output } = checked
  if (output === null) return
  // The output of a row that repeats another is as old as that one.
  const at = (earlier ?? row)?.finishedAt
  const thing: Thing = {
    as: "output",
    sha256: output.sha256,
    evidence: checked.id,
    ...(at === undefined ? {} : { at })
  }
  if (!isLooked(proof, { ...thing, name: checked.id })) yield* objectOf(proof, where, thing)
  if (earlier !== null && row?.bundleDigest !== undefined) yield* checkBundle(proof, where, of, thing)
})
