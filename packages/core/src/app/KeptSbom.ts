/** The bundle of a generation, and the list of the packages in it, as they are kept. */
import { Effect, Schema } from "effect"
import { bundleKey, bundlePrefix } from "../bundle/Bundle.ts"
import * as BundleStore from "../bundle/BundleStore.ts"
import { find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import { Unknown } from "../ledger/Refusals.ts"
import { generationKey } from "../model/Entities.ts"
import type { Generation } from "../model/Generation.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { verifiedDigest } from "../verification/CandidateEvidence.ts"
import { intactBundle, keptBundle } from "./KeptBundle.ts"

/** No list of packages is kept of a generation. Ask for that of one that serves the app. */
export class NoSbom extends Schema.TaggedError<NoSbom>()("NoSbom", {
  generation: Schema.Finite,
  /** Whether a bundle is kept: then no list stands beside it. */
  hasBundle: Schema.Boolean
}) {
  override get message() {
    return this.hasBundle
      ? `The bundle of S${this.generation} has no list of its packages: it was built by an earlier Pawl, or the list is lost. Promote another Change, and ask for the list of its generation.`
      : `No bundle of S${this.generation} is kept, and so no list of the packages in it. It has one once its app is released.`
  }
}

/** What a generation's Candidate was verified as, while its preview is kept. */
const previewBundle = Effect.fnUntraced(function* ({ candidateId, commit, projectId }: Generation) {
  const digest = candidateId === null ? undefined : yield* verifiedDigest(candidateId)
  return digest === undefined
    ? null
    : yield* intactBundle(bundleKey(bundlePrefix("app-previews", projectId, commit)), digest)
})

/** The bundle of a generation: its own, that of its Candidate, or that of another generation with the same tree. */
const bundleOf = Effect.fnUntraced(function* (generation: Generation) {
  const own = (yield* keptBundle(generation)) ?? (yield* previewBundle(generation))
  if (own !== null) return own
  const { projectId, tree } = generation
  const same = yield* (yield* Records).list("generation", { projectId, where: { tree }, order: "newest", limit: "all" })
  for (const { record } of same.items) {
    const found = yield* keptBundle(record)
    if (found !== null) return found
  }
  return null
})

/** The bundle.json of a generation, byte for byte as it was stored. Fails with `Unknown` where none is kept whole. */
export const bundleJsonOf = Effect.fnUntraced(function* (projectId: string, generation: number) {
  const missing = new Unknown({ kind: "bundle", id: `S${generation}` })
  const found = yield* find("generation", generationKey(projectId, generation))
  const bundle = found === null ? null : yield* bundleOf(found.record)
  if (bundle === null) return yield* missing
  return yield* Effect.catchTag((yield* ObjectStore).get(bundle.key), "ObjectMissing", () => missing)
})

/** The list beside a bundle; null when it has none. One that is lost, or not as it was built, is not told. */
const listOf = (bundle: BundleStore.StoredBundle) =>
  BundleStore.sbomOf(bundle).pipe(
    Effect.catchTags({
      ObjectMissing: (missing) => Effect.as(Effect.logWarning("a list of packages is missing", missing.key), null),
      BundleDamaged: (damage) => Effect.as(Effect.logWarning("a list of packages is damaged", damage.reason), null)
    })
  )

/**
 * The list of the packages in what a generation serves, as CycloneDX JSON; a rollback has that of its target. Fails with
 * `Unknown` when there is no such generation, and with `NoSbom`.
 */
export const sbomOfGeneration = Effect.fnUntraced(function* (projectId: string, generation: number) {
  const found = yield* find("generation", generationKey(projectId, generation))
  if (found === null) return yield* new Unknown({ kind: "version", id: `S${generation}` })
  const bundle = yield* bundleOf(found.record)
  const list = bundle === null ? null : yield* listOf(bundle)
  return list ?? (yield* new NoSbom({ generation, hasBundle: bundle !== null }))
})
