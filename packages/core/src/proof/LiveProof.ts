/** What a host serves now, beside what was stated. */
import { Effect } from "effect"
import { isWellFormed, utf8Length } from "../primitives/CodePoints.ts"
import { Limits } from "../primitives/Limits.ts"
import { bundleOf } from "./BundleProof.ts"
import { type Opened, opened, sealOf } from "./Envelopes.ts"
import type { Live } from "./Material.ts"
import type { KnownRelease, Proof } from "./ProofState.ts"

const checkAssets = Effect.fnUntraced(function* (proof: Proof, live: Live, bundle: string, generation: number | null) {
  const commit = generation === null ? "" : (proof.generations.get(generation)?.source.gitCommit ?? "")
  const served = yield* bundleOf(proof, "live", bundle, commit)
  if (served === null) return
  for (const [path, sha256] of Object.entries(live.assets)) {
    const { manifest } = served.assets
    if (!Object.hasOwn(manifest, path) || manifest[path]?.sha256 !== sha256)
      proof.findings.say("live", "live_asset_mismatch", path)
  }
})

/**
 * Whether it may be what an older Project served before it had statements: nothing was released since, and it is of the
 * commit of a generation that was adopted.
 */
const isAdopted = Effect.fnUntraced(function* (proof: Proof, { bundle, generation }: Live) {
  const { adopted, generations, serving, settled } = proof
  const of = generation === null ? undefined : generations.get(generation)
  if (adopted === null || settled || serving !== null || of === undefined || bundle === null) return false
  if (generation === null || generation > adopted.facts.generation) return false
  if (of.bundle === bundle) return true
  const built = yield* bundleOf(proof, "live", bundle, of.source.gitCommit)
  return built !== null && built.commit === of.source.gitCommit && built.tree === of.source.gitTree
})

/** Whether that entry of the chain states that the bundle is served. */
const isStated = ({ releases }: Proof, bundle: string, entry: number): boolean =>
  [...releases.values()].some((each) => each.bundle === bundle && each.entry === entry)

/** The envelope that a row carries: nothing to be found in it where it carries none. */
const carriedBy = (
  { engine }: Proof,
  envelope: string | null
): Pick<Opened, "faults" | "signature"> & Partial<Opened> =>
  envelope === null
    ? { faults: [], signature: null }
    : opened(isWellFormed(envelope) && utf8Length(envelope) <= Limits.envelopeBytes ? envelope : null, engine)

/**
 * What is wrong with the envelope that a row carries; null for nothing. It is that of its entry in the chain, signed as it is
 * there: none where nobody has signed that yet, or where what is served is older than statements.
 */
const envelopeProblem = (
  proof: Proof,
  { bundle, entry, envelope }: Live,
  allowed: ReadonlyArray<KnownRelease>
): string | null => {
  if (envelope === undefined) return null
  if (entry === undefined)
    return envelope === null && allowed.some((each) => each.entry < 0) ? null : "its row carries no statement"
  const there = [...proof.releases].filter(([, each]) => each.bundle === bundle && each.entry === entry)
  const { digest, faults, signature } = carriedBy(proof, envelope)
  const isOne = ([sha256]: (typeof there)[number]) =>
    (digest === undefined || digest === sha256) && proof.seals.has(sealOf({ digest: sha256, signature }))
  if (there.length === 0 || (faults.length === 0 && there.some(isOne))) return null
  return envelope === null
    ? `its row carries entry ${entry} without the envelope that is signed`
    : `its row carries another envelope than that of entry ${entry}`
}

/** Compares what is served with the newest release, or one that is still under way. */
export const checkLive = Effect.fnUntraced(function* (proof: Proof, live: Live) {
  const { findings, serving, underWay } = proof
  const { bundle, channel, entry, generation, incarnation } = live
  if (bundle === null) {
    if (serving !== null)
      findings.say("live", "live_mismatch", `nothing is served, and S${serving.generation ?? "-"} was released`)
    return
  }
  const allowed = [...(serving === null ? [] : [serving]), ...underWay.values()].filter(
    (each) => each.bundle === bundle
  )
  const newest = allowed.at(-1)
  if (newest === undefined && (yield* isAdopted(proof, live)))
    return yield* checkAssets(proof, live, bundle, generation)
  if (newest === undefined) {
    if (proof.bundles.has(bundle)) findings.say("live", "live_mismatch", `${bundle} is not what was released last`)
    else findings.say("live", "live_unstated", `nobody stated ${bundle}`)
    return
  }
  // A row that was put back to what was served before statements names no place.
  const placed = allowed.filter((each) => each.entry >= 0)
  if (placed.length > 0 && !placed.some((each) => each.channel === channel && each.incarnation === incarnation))
    findings.say("live", "release_other_place", `${channel}, incarnation ${incarnation}`)
  else if (entry !== undefined && !allowed.some((each) => each.entry <= entry))
    findings.say("live", "release_superseded", `it carries entry ${entry}, the newest is ${newest.entry}`)
  else if (entry !== undefined && !isStated(proof, bundle, entry))
    findings.say("live", "live_unstated", `it carries entry ${entry}, which states no release of ${bundle}`)
  else if (!allowed.some((each) => each.generation === generation))
    findings.say("live", "live_mismatch", `it says S${generation ?? "-"}`)
  const problem = envelopeProblem(proof, live, allowed)
  if (problem !== null) findings.say("live", "live_statement_mismatch", problem)
  yield* checkAssets(proof, live, bundle, newest.generation)
})
