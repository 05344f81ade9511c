/** The bundle that a generation left in the object store. It is believed only with a digest that was kept elsewhere. */
import { Effect } from "effect"
import { bundleKey, bundlePrefix } from "../app/Bundle.ts"
import * as BundleStore from "../app/BundleStore.ts"
import { verifiedDigest } from "../evidence/CandidateEvidence.ts"
import { find } from "../ledger/Deciding.ts"
import { pointerKey } from "../ledger/Entities.ts"
import { versionId } from "../primitives/Ids.ts"
import type { Generation } from "../promotion/Generation.ts"

/** A bundle that is there and whole; a damaged one counts as missing, so that another source is tried. */
export const whole = (key: string, digest: string) =>
  BundleStore.find(key, digest).pipe(
    Effect.catchTag("BundleDamaged", (damage) => Effect.as(Effect.logWarning("bundle damaged", damage.reason), null))
  )

/** The digest of what a generation served, as its version row holds it; undefined when it never served anything. */
export const servedDigest = ({ generation, projectId }: Pick<Generation, "projectId" | "generation">) =>
  Effect.map(
    find("pointer", pointerKey(projectId, `preview:${versionId(generation)}`)),
    (version) => version?.record.bundle_digest ?? undefined
  )

/** The stored bundle that a generation served, or, when it never did, the one that its `build` check verified. */
export const keptBundle = (step: Pick<Generation, "projectId" | "generation" | "commit" | "candidateId">) =>
  Effect.gen(function* () {
    const { candidateId, commit, projectId } = step
    const digest =
      (yield* servedDigest(step)) ?? (candidateId === null ? undefined : yield* verifiedDigest(candidateId))
    return digest === undefined ? null : yield* whole(bundleKey(bundlePrefix("apps", projectId, commit)), digest)
  })
