/** The bundle that a generation left in the object store. It is believed only with a digest that was kept elsewhere. */
import { Effect } from "effect"
import { bundleKey, bundlePrefix } from "../bundle/Bundle.ts"
import * as BundleStore from "../bundle/BundleStore.ts"
import { verifiedDigest } from "../verification/CandidateEvidence.ts"
import { find } from "../ledger/Decision.ts"
import { pointerKey } from "../model/Entities.ts"
import { versionId } from "../primitives/Ids.ts"
import type { Generation } from "../model/Generation.ts"

/** A bundle that is there and whole; a damaged one counts as missing, so that another source is tried. */
export const intactBundle = (key: string, digest: string) =>
  BundleStore.find(key, digest).pipe(
    Effect.catchTag("BundleDamaged", (damage) => Effect.as(Effect.logWarning("bundle damaged", damage.reason), null))
  )

/** The digest of what a generation served, as its version row holds it; undefined when it never served anything. */
export const servedDigest = ({ generation, projectId }: Pick<Generation, "projectId" | "generation">) =>
  Effect.map(
    find("pointer", pointerKey(projectId, `preview:${versionId(generation)}`)),
    (version) => version?.record.bundleDigest ?? undefined
  )

/** What a generation served, or, when it never did, what its `build` check verified; undefined when neither is known. */
export const knownDigest = Effect.fnUntraced(function* (
  step: Pick<Generation, "projectId" | "generation" | "candidateId">
) {
  const served = yield* servedDigest(step)
  if (served !== undefined || step.candidateId === null) return served
  return yield* verifiedDigest(step.candidateId)
})

/** The bundle of a generation under its own address; null when it is not there whole, or its digest is not known. */
export const keptBundle = Effect.fnUntraced(function* (
  step: Pick<Generation, "projectId" | "generation" | "commit" | "candidateId">
) {
  const { commit, projectId } = step
  const digest = yield* knownDigest(step)
  return digest === undefined ? null : yield* intactBundle(bundleKey(bundlePrefix("apps", projectId, commit)), digest)
})
