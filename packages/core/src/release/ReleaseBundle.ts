/**
 * The bundle of a release, in the specified order: stored; of another commit with the same tree; the preview's copy;
 * else a build. Whatever it is, it must have the digest that the `build` check's Evidence holds. Without such a check,
 * what is stored must have the digest that its generation's version row holds.
 */
import { Effect, Schema } from "effect"
import { bundleKey, bundlePrefix } from "../bundle/Bundle.ts"
import { BuildRefused, bundleOf, notVerifiedReason } from "../bundle/Builds.ts"
import * as BundleStore from "../bundle/BundleStore.ts"
import { clearStrays } from "../bundle/Strays.ts"
import { verifiedBuild, verifiedDigest } from "../verification/CandidateEvidence.ts"
import { demand } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import { readFiles } from "../project/Source.ts"
import { placeOf } from "../project/SourceSync.ts"
import * as Time from "../primitives/Time.ts"
import { prepare } from "../verification/BuildPreparation.ts"
import { keptBundle, servedDigest, intactBundle } from "../app/KeptBundle.ts"
import type { BundleSource, Release } from "../model/Release.ts"

/** What was built is not what was verified. It is not served. */
export class BundleMismatch extends Schema.TaggedError<BundleMismatch>()("BundleMismatch", {
  verified: Schema.String,
  found: Schema.String
}) {
  override get message() {
    return notVerifiedReason(this.found, this.verified)
  }
}

/** The bundle that a pointer may be moved to: its key and digest, and where it came from. */
export interface ReleaseBundle {
  readonly key: string
  readonly digest: string
  readonly source: BundleSource
}

const ofSameTree = Effect.fnUntraced(function* (release: Release, builtAt: string, digest: string | undefined) {
  const same = yield* (yield* Records).list("generation", {
    projectId: release.projectId,
    where: { tree: release.tree },
    order: "newest",
    limit: "all"
  })
  for (const { record } of same.items) {
    if (record.commit === release.commit) continue
    const previousBundle = yield* keptBundle(record)
    if (previousBundle === null) continue
    const from = bundlePrefix("apps", release.projectId, record.commit)
    const to = bundlePrefix("apps", release.projectId, release.commit)
    const copied = yield* BundleStore.readdress(from, to, previousBundle, { commit: release.commit, builtAt }).pipe(
      Effect.catchTag("BundleDamaged", () => Effect.succeed(null))
    )
    if (copied === null) continue
    yield* clearStrays(release.projectId)
    if (digest === undefined || copied.digest === digest) return copied
  }
  return null
})

const ofPreview = Effect.fnUntraced(function* (release: Release, digest: string) {
  const from = bundlePrefix("app-previews", release.projectId, release.commit)
  const previewBundle = yield* intactBundle(bundleKey(from), digest)
  if (previewBundle === null) return null
  const to = bundlePrefix("apps", release.projectId, release.commit)
  return yield* Effect.tap(BundleStore.copy(from, to, previewBundle), clearStrays(release.projectId))
})

const unstored = {
  code: "no_bundle",
  message: "no bundle of this tree is stored any more, and the rollback was verified without a build; deploy the app",
  file: null,
  line: null,
  column: null
}

const answer = (stored: BundleStore.StoredBundle, source: BundleSource): ReleaseBundle => ({
  key: stored.key,
  digest: stored.digest,
  source
})

const builtAtOf = (release: Release) =>
  Effect.map(demand("candidate", release.candidateId), ({ record }) => record.createdAt)

/** The bundle when one is stored, under the release's own address from then on; null when it would have to be built. */
export const storedBundleOf = Effect.fnUntraced(function* (release: Release) {
  const build = yield* verifiedBuild(release.candidateId)
  const digest = build?.bundleDigest
  const prefix = bundlePrefix("apps", release.projectId, release.commit)
  const known = digest ?? (yield* servedDigest(release))
  const stored = known === undefined ? null : yield* intactBundle(bundleKey(prefix), known)
  if (stored !== null) return answer(stored, "stored")
  const same = yield* ofSameTree(release, yield* builtAtOf(release), digest)
  if (same !== null) return answer(same, "same_tree")
  const preview = digest === undefined ? null : yield* ofPreview(release, digest)
  // A build that repeats an earlier one was given that one's bundle: nothing was built for this commit.
  return preview === null ? null : answer(preview, build?.reuses === undefined ? "preview_copy" : "same_tree")
})

/**
 * The bundle of a release, under its own address. Where there is none that may be served it fails with `BuildRefused`,
 * `BuildCrashed`, `BuildCapReached` or `BundleMismatch`.
 */
export const obtain = Effect.fnUntraced(function* (release: Release) {
  const stored = yield* storedBundleOf(release)
  if (stored !== null) return stored
  const digest = yield* verifiedDigest(release.candidateId)
  // What a rollback's plan did not build was not verified as a build: only what is stored may be served.
  if (digest === undefined && (yield* demand("change", release.changeId)).record.kind === "rollback")
    return yield* new BuildRefused({ problems: [unstored] })
  const keeper = placeOf((yield* demand("head", release.projectId)).record, release)
  const builtAt = yield* builtAtOf(release)
  const built = yield* bundleOf({
    kind: "apps",
    project: release.projectId,
    files: readFiles(keeper, release.tree),
    prepare: (files, expect) =>
      prepare(files, {
        expect,
        id: `${release.id}-build`,
        of: release,
        running: { count: 0 },
        builtAtMs: Time.toMillis(builtAt)
      }),
    commit: release.commit,
    tree: release.tree,
    builtAt,
    ...(digest === undefined ? {} : { expectedDigest: digest })
  })
  if (digest !== undefined && built.digest !== digest)
    return yield* new BundleMismatch({ verified: digest, found: built.digest })
  return answer(built, "build")
}, Effect.withSpan("ReleaseBundle.obtain"))
