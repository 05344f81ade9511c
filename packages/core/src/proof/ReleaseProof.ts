/** Releases and how they ended: that nothing is served but what was promoted, or derived from it. */
import { Effect } from "effect"
import { bundleOf, isDerived } from "./BundleProof.ts"
import type { KnownGeneration, KnownRelease, Proof } from "./ProofState.ts"
import { bundleDigestOf } from "./PromotionProof.ts"
import type { Outcome, Release, Subject } from "./StatementShapes.ts"

const production = "production"

/** Of a bundle that was not built for this generation: from which one it was derived, by its commit alone. */
const checkDerived = Effect.fnUntraced(function* (
  proof: Proof,
  where: string,
  { bundle, of, release }: { readonly release: Release; readonly bundle: string; readonly of: KnownGeneration }
) {
  const { findings } = proof
  const { generation = -1, sha256 = "" } = release.derivedFrom ?? {}
  const from = proof.generations.get(generation)
  // What an adopted generation without a build check served is not known: the bundles themselves must tell.
  const mayHave = from?.isAdopted === true && from.bundle === null
  const had = mayHave || from?.bundle === sha256 || from?.released.has(sha256) === true
  if (from?.source.gitTree !== of.source.gitTree || !had) {
    findings.say(where, "bundle_not_derived", `S${generation} has no such bundle, or another tree`)
    return
  }
  const made = yield* bundleOf(proof, where, bundle, of.source.gitCommit)
  const original = yield* bundleOf(proof, where, sha256, from.source.gitCommit)
  if (made !== null && original !== null && !isDerived(made, original, of.source.gitCommit))
    findings.say(where, "bundle_not_derived", `it is not the bundle of S${generation}`)
})

/** A bundle that no check has verified: it must be of the generation's own commit. */
const checkBuilt = Effect.fnUntraced(function* (proof: Proof, where: string, bundle: string, of: KnownGeneration) {
  const { gitCommit, gitTree } = of.source
  const built = yield* bundleOf(proof, where, bundle, gitCommit)
  if (built !== null && (built.commit !== gitCommit || built.tree !== gitTree))
    proof.findings.say(where, "release_not_promoted", `the bundle is of ${built.commit}`)
})

/** A bundle is about to be served. `digest` is that of the statement. */
export const checkRelease = Effect.fnUntraced(function* (
  proof: Proof,
  where: string,
  { predicate: facts, subject }: { readonly predicate: Release; readonly subject: ReadonlyArray<Subject> },
  digest: string
) {
  const { findings, generations } = proof
  const bundle = bundleDigestOf(subject)
  if (bundle === null) {
    findings.say(where, "statement_unreadable", "it names no bundle")
    return
  }
  const { channel, entry, generation, incarnation } = facts
  const release: KnownRelease = { bundle, generation, channel, incarnation, entry }
  proof.releases.set(digest, release)
  proof.bundles.add(bundle)
  if (channel === production) proof.underWay.set(digest, release)
  if (generation === null) return
  const of = generations.get(generation)
  if (of === undefined) {
    findings.say(where, "release_not_promoted", `S${generation} was not stated`)
    return
  }
  if (facts.derivedFrom !== undefined) yield* checkDerived(proof, where, { release: facts, bundle, of })
  else if (of.bundle !== null && of.bundle !== bundle && !of.released.has(bundle))
    findings.say(where, "release_not_promoted", `S${generation} was verified with another bundle than ${bundle}`)
  else if (proof.material.object !== null) yield* checkBuilt(proof, where, bundle, of)
  of.released.add(bundle)
})

/** What is served again after a failure: the newest release before that had this bundle. */
const servedAgain = (proof: Proof, outcome: Outcome): KnownRelease | null => {
  const { restored } = outcome
  if (restored === undefined || restored === null) return null
  const before = [...proof.releases.values()].filter(
    ({ bundle, channel }) => channel === outcome.channel && bundle === restored.sha256
  )
  const last = before.at(-1)
  if (last === undefined)
    return {
      bundle: restored.sha256,
      generation: restored.generation,
      channel: outcome.channel,
      incarnation: -1,
      entry: -1
    }
  return last
}

/** A release ended. */
export const checkOutcome = (proof: Proof, where: string, outcome: Outcome): void => {
  const { channel, release: named } = outcome
  const release = named === null ? undefined : proof.releases.get(named.sha256)
  if (named !== null && release === undefined) {
    proof.findings.say(where, "release_not_promoted", `${named.sha256} is no release that was stated`)
    return
  }
  if (channel !== production) return
  if (outcome.outcome !== "superseded") proof.settled = true
  switch (outcome.outcome) {
    case "deployed":
      proof.serving = release ?? null
      proof.underWay.clear()
      break
    case "removed":
      proof.serving = null
      proof.underWay.clear()
      break
    case "superseded":
      break
    default:
      if (named !== null) proof.underWay.delete(named.sha256)
      if (outcome.restored !== undefined) proof.serving = servedAgain(proof, outcome)
  }
}
