/** Promotions, Policies and what is adopted: what each generation stood on, and that one follows the other. */
import { Effect } from "effect"
import { checkApprovals } from "./ApprovalProof.ts"
import { bundleOf } from "./BundleProof.ts"
import { checkEvidence } from "./EvidenceProof.ts"
import { namedLines, policyLine } from "../provenance/AdoptedRecords.ts"
import { isLooked, type KnownPolicy, objectOf, type Proof, recordOf, settleAdopted } from "./ProofState.ts"
import { isPlan, isPolicy, type PlanText, type PolicyText } from "./RecordShapes.ts"
import type { Adopted, CheckedFact, Promotion, SourceDigest, Subject } from "./StatementShapes.ts"

const bundleName = "bundle.json"

/** The digest of the bundle that a statement is about; null for none. */
export const bundleDigestOf = (subject: ReadonlyArray<Subject>): string | null => {
  const digest = subject.find(({ name }) => name === bundleName)?.digest
  return digest !== undefined && "sha256" in digest ? digest.sha256 : null
}

/** The commit that a statement is about; null for none. */
const sourceDigestOf = (subject: ReadonlyArray<Subject>): SourceDigest | null => {
  const digest = subject[0]?.digest
  return digest !== undefined && "gitTree" in digest ? digest : null
}

const hashOfFiles = ({ dirHash, dirHash1 }: SourceDigest): string | undefined => dirHash ?? dirHash1

/** A base need not say what its files are: the statement before says it. */
const isSame = (base: SourceDigest, before: SourceDigest): boolean =>
  base.gitCommit === before.gitCommit &&
  base.gitTree === before.gitTree &&
  (hashOfFiles(base) === undefined || hashOfFiles(base) === hashOfFiles(before))

/** A version of the Policy came into force. */
export const checkPolicy = Effect.fnUntraced(function* (
  proof: Proof,
  where: string,
  {
    predicate: { version },
    subject
  }: { readonly predicate: { readonly version: number }; readonly subject: ReadonlyArray<Subject> }
) {
  const { findings, policies } = proof
  const digest = subject[0]?.digest
  const sha256 = digest !== undefined && "sha256" in digest ? digest.sha256 : ""
  if (version <= proof.policy) {
    findings.say(where, "policy_rolled_back", `version ${version} after ${proof.policy}`)
    return
  }
  const read = yield* recordOf(proof, where, { kind: "policyVersion", id: String(version), sha256 })
  const isOne = read !== null && isPolicy(read.value) && read.value.version === version
  if (read !== null && !isOne) findings.say(where, "record_mismatch", `policyVersion ${version}: it is none`)
  policies.set(version, { sha256, text: read !== null && isPolicy(read.value) && isOne ? read.value : null })
  proof.policy = version
  if (proof.adopted !== null && !proof.adopted.done)
    findings.say(where, "adopted_mismatch", "a Policy in the middle of what was adopted")
})

/** Where the chain of an older Project begins. Only Policies may stand before it. */
export const checkAdopted = (proof: Proof, where: string, facts: Adopted): void => {
  if (proof.newest !== null || proof.adopted !== null) {
    proof.findings.say(where, "adopted_mismatch", "there is a chain already")
    return
  }
  const lines = [...proof.policies].map(([version, { sha256 }]) => policyLine(version, sha256))
  proof.adopted = { where, facts, lines: new Set(lines), done: false }
}

/** What differs of a Policy that a promotion names. */
const policyWords = (
  { policy: inForce }: Proof,
  { sha256, version }: Promotion["policy"],
  known: KnownPolicy | undefined
): string => {
  if (known === undefined) return `version ${version} was never stated, in force is ${inForce}`
  if (known.sha256 === sha256) return `version ${version}, in force is ${inForce}`
  return `version ${version} is stated with the digest ${known.sha256}, and it names ${sha256}`
}

/** The Policy that a promotion was made under; null where it cannot be told. */
const policyOf = (proof: Proof, where: string, { adopted, policy }: Promotion): PolicyText | null => {
  const known = proof.policies.get(policy.version)
  // Of the time before statements every version is stated first.
  if ((adopted === undefined && policy.version !== proof.policy) || known?.sha256 !== policy.sha256) {
    proof.findings.say(where, "policy_mismatch", policyWords(proof, policy, known))
    return null
  }
  return known.text
}

const planOf = Effect.fnUntraced(function* (proof: Proof, where: string, { candidate, plan }: Promotion) {
  if (candidate === null || plan === null) return null
  const read = yield* recordOf(proof, where, { kind: "plan", id: candidate.id, sha256: plan.sha256 })
  if (read === null) return null
  if (isPlan(read.value)) return read.value
  proof.findings.say(where, "record_mismatch", `plan ${candidate.id}: it is none`)
  return null
})

/** Whether a required check that did not pass may be so: a waiver was in force, and Policy and plan knew it. */
const checkWaiver = (
  { findings }: Proof,
  where: string,
  { check, waived }: CheckedFact,
  known: { readonly at: string; readonly plan: PlanText | null; readonly policy: PolicyText | null }
): void => {
  const named = check.replace(/@base$/, "")
  const planned = known.plan?.checks.find(({ id }) => id === check)
  const inPolicy = known.policy?.waivedChecks.find(({ id }) => id === named)
  if (waived === undefined) findings.say(where, "check_unsatisfied", check)
  else if (waived.until <= known.at) findings.say(where, "waiver_expired", `${check}: until ${waived.until}`)
  else if (known.plan !== null && planned?.waived?.until !== waived.until)
    findings.say(where, "check_unsatisfied", `${check}: the plan knows no such waiver`)
  else if (known.policy !== null && inPolicy?.until !== waived.until)
    findings.say(where, "check_unsatisfied", `${check}: the Policy knows no such waiver`)
}

/** Whether a pass that is the retry of a failure may count: Policy and plan must have allowed it. */
const checkRetry = (
  { findings }: Proof,
  where: string,
  { check, retryOf }: CheckedFact,
  known: { readonly plan: PlanText | null; readonly policy: PolicyText | null }
): void => {
  const forbids = (each: { readonly flakeRetries?: number } | null) => each !== null && each.flakeRetries !== 1
  if (retryOf !== undefined && (forbids(known.policy) || forbids(known.plan)))
    findings.say(where, "check_unsatisfied", `${check}: nobody allowed its retry`)
}

/** Whether the Policy let it out at that moment. Rollbacks pass, and what those promote whom a freeze excepts. */
const checkFreeze = ({ findings }: Proof, where: string, facts: Promotion, policy: PolicyText | null): void => {
  const { actor, adopted, candidate, trigger } = facts
  if (candidate === null || trigger === "rollback") return
  const at = adopted?.promotedAt ?? facts.at
  const frozen = policy?.freezes?.find(
    ({ except = [], from, until }) => from <= at && at < until && !except.includes(actor.id)
  )
  if (frozen !== undefined) findings.say(where, "promoted_while_frozen", `at ${at}, frozen until ${frozen.until}`)
}

/** Whether every check was there that Policy and plan ask for. */
const checkWanted = (
  { findings }: Proof,
  where: string,
  facts: Promotion,
  policy: PolicyText | null,
  plan: PlanText | null
) => {
  const there = new Set(facts.checks.map(({ check }) => check))
  const isAsked = facts.candidate !== null && facts.trigger !== "rollback"
  // What an older promotion was decided at stands in its mark.
  const at = facts.adopted?.promotedAt ?? facts.at
  const isInForce = (waiver: { readonly until: string } | undefined) => waiver !== undefined && waiver.until > at
  const isWaived = (id: string) => isInForce(policy?.waivedChecks.find((each) => each.id === id))
  const wanted = new Set([
    ...(isAsked ? (policy?.requiredChecks ?? []).filter((id) => !isWaived(id)) : []),
    ...(plan?.checks ?? []).filter(({ required, waived }) => required && !isInForce(waived)).map(({ id }) => id)
  ])
  for (const id of wanted) if (!there.has(id)) findings.say(where, "check_missing", id)
}

/** A generation follows the one before it. */
const checkLine = (proof: Proof, where: string, facts: Promotion, source: SourceDigest): void => {
  const { findings, generations, newest } = proof
  const { base, generation, rollbackTo } = facts
  const before = newest === null ? undefined : generations.get(newest)
  if (generation !== (newest === null ? 0 : newest + 1))
    findings.say(where, "generation_gap", newest === null ? "the first is not S0" : `it follows S${newest}`)
  else if (before === undefined ? base !== null : base?.generation !== newest || !isSame(base.digest, before.source))
    findings.say(where, "base_mismatch", `its base is not S${newest ?? "-"}`)
  if (facts.trigger === "rollback" || rollbackTo !== undefined) {
    const target = generations.get(rollbackTo ?? -1)
    if (target?.source.gitTree !== source.gitTree)
      findings.say(where, "rollback_tree_mismatch", `S${rollbackTo ?? "-"} has another tree`)
  }
}

const checkSbom = Effect.fnUntraced(function* (proof: Proof, where: string, { packages }: Promotion, commit: string) {
  if (packages === null) return
  const thing = { as: "sbom" as const, sha256: packages.sbom.sha256, commit, name: "sbom.json" }
  if (!isLooked(proof, thing)) yield* objectOf(proof, where, thing)
})

/** A generation became canonical. */
export const checkPromotion = Effect.fnUntraced(function* (
  proof: Proof,
  where: string,
  { predicate: facts, subject }: { readonly predicate: Promotion; readonly subject: ReadonlyArray<Subject> }
) {
  const { findings, generations } = proof
  const source = sourceDigestOf(subject)
  if (source === null) {
    findings.say(where, "statement_unreadable", "it names no commit")
    return
  }
  const { adopted } = proof
  const isAdopted = adopted !== null && facts.generation <= adopted.facts.generation
  if ((facts.adopted !== undefined) !== isAdopted)
    findings.say(where, "adopted_mismatch", `S${facts.generation} ${isAdopted ? "is not marked" : "was not adopted"}`)
  if (isAdopted) for (const line of namedLines(facts)) adopted.lines.add(line)
  checkLine(proof, where, facts, source)
  const bundle = bundleDigestOf(subject)
  generations.set(facts.generation, { source, where, bundle, released: new Set(), isAdopted })
  proof.newest = facts.generation
  if (bundle !== null) proof.bundles.add(bundle)
  if (isAdopted && facts.generation === adopted.facts.generation) settleAdopted(proof)

  const policy = policyOf(proof, where, facts)
  // Where statements are all that there is, as of a clone, nothing is asked for: there are ten thousands of them.
  const { object, record } = proof.material
  const plan = record === null ? null : yield* planOf(proof, where, facts)
  checkFreeze(proof, where, facts, policy)
  checkWanted(proof, where, facts, policy, plan)
  const at = facts.adopted?.promotedAt ?? facts.at
  for (const checked of facts.checks) {
    const isRequired =
      checked.required || (plan?.checks.some(({ id, required }) => required && id === checked.check) ?? false)
    if (isRequired && checked.result !== "pass") checkWaiver(proof, where, checked, { at, plan, policy })
    checkRetry(proof, where, checked, { plan, policy })
    if (object !== null || record !== null)
      yield* checkEvidence(proof, where, checked, { source, candidate: facts.candidate?.id, bundle, plan })
  }
  const tiers = [facts.candidate?.risk, plan?.riskTier].filter((tier) => tier !== undefined)
  yield* checkApprovals(proof, where, facts, { source, policy, tiers, planned: plan?.approvalRequired ?? false })
  yield* checkSbom(proof, where, facts, source.gitCommit)
  if (bundle !== null && object !== null) yield* bundleOf(proof, where, bundle, source.gitCommit)
})
