/**
 * The release process, body of `release.run`: start (or be superseded), then by the path of what there is to release
 * to. The live-app path obtains the bundle, moves the pointer by compare-and-swap, probes through the router, and
 * deploys or restores. The path of a release target is `BuildServicePath`.
 */
import { Effect, Schema } from "effect"
import { system } from "../model/Actor.ts"
import { formatProblem, notVerifiedReason, usedUpReason } from "../bundle/Builds.ts"
import { builtAtOf, versionRow } from "../app/Apps.ts"
import { reopening } from "../app/PointerBuilds.ts"
import { type Pointer, restorable } from "../model/Pointer.ts"
import { PointerSignal } from "../app/PointerSignal.ts"
import { incarnationOf } from "../app/Removal.ts"
import { chainOf, type ReadChain, releaseDigest } from "../provenance/Chains.ts"
import { sayOutcome } from "../provenance/ReleaseStatements.ts"
import { afterRelease } from "../change/Changes.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { pointerKey } from "../model/Entities.ts"
import { Conflict, Ledger } from "../ledger/Ledger.ts"
import * as Lifecycle from "../model/Lifecycle.ts"
import { commitStep, journalled, Process, Waiting } from "../work/Processes.ts"
import * as JournalStep from "../work/JournalStep.ts"
import { Records } from "../ledger/Records.ts"
import * as Time from "../primitives/Time.ts"
import type { Project } from "../model/Project.ts"
import { ensureSynced } from "../project/SourceSync.ts"
import { authorize, unsignedReason } from "./Authorization.ts"
import { runAtTarget } from "./BuildServicePath.ts"
import { ending } from "./ReleaseEnd.ts"
import { isBoundTo, type Release } from "../model/Release.ts"
import { keepVersion } from "./KeptVersion.ts"
import { obtain, type ReleaseBundle } from "./ReleaseBundle.ts"
import { ReleaseLifecycle } from "../model/ReleaseLifecycle.ts"
import { releasesTo } from "../project/ReleaseTargets.ts"
import { smokeTest } from "./Smoke.ts"

const actor = system("release")

/** Takes a release as far as it comes now. Repeating it goes on where it was. */
export const run = (releaseId: string) =>
  Effect.gen(function* () {
    yield* afterSync((yield* demand("release", releaseId)).record)
    if ((yield* decideAndCommit(starting(releaseId))) === "over") return yield* keepVersion(releaseId)
    const release = (yield* demand("release", releaseId)).record
    if ((yield* demand("project", release.projectId)).record.status === "archived")
      return yield* decideAndCommit(ending(releaseId, { _tag: "Failed", reason: "the Project was archived" }))
    const to = yield* releasesTo(release.projectId)
    if (to === null)
      return yield* decideAndCommit(ending(releaseId, { _tag: "Failed", reason: "there is nothing to release to" }))
    if (to._tag === "Target") return yield* runAtTarget(release, to.target)
    return yield* runAtApp(release)
  }).pipe(Effect.withSpan("Releases.run", { attributes: { releaseId } }))

/**
 * A release to a target starts once canonical `main` has been brought to its generation: the build service builds from
 * there. The bundle of an app is read from the Candidate until then, so that its release goes on beside the sync.
 */
const afterSync = Effect.fnUntraced(function* ({ generation, projectId, status }: Release) {
  if (Lifecycle.isFinal(ReleaseLifecycle, status) || (yield* releasesTo(projectId))?._tag !== "Target") return
  if ((yield* demand("project", projectId)).record.status === "archived") return
  const { syncedGeneration } = (yield* demand("head", projectId)).record
  if (syncedGeneration < generation) yield* ensureSynced(projectId)
})

/** The live-app path, once the release is building. */
const runAtApp = Effect.fnUntraced(function* (release: Release) {
  const incarnation = yield* incarnationOf(release.projectId)
  if (incarnation !== null && !isBoundTo(release, incarnation))
    return yield* decideAndCommit(ending(release.id, { _tag: "Removed" }))
  const bundle = yield* obtain(release).pipe(
    Effect.map((found) => ({ _tag: "Found" as const, found })),
    Effect.catchTags({
      BuildRefused: (refused) =>
        Effect.succeed({
          _tag: "None" as const,
          ended: "Failed" as const,
          reason: refused.problems.map(formatProblem).join("\n")
        }),
      BuildCrashed: (crash) =>
        Effect.succeed({ _tag: "None" as const, ended: "Failed" as const, reason: crash.message }),
      BuildCapReached: (cap) =>
        Effect.succeed({ _tag: "None" as const, ended: "CapReached" as const, reason: usedUpReason(cap) }),
      BundleMismatch: (other) =>
        Effect.succeed({
          _tag: "None" as const,
          ended: "Failed" as const,
          reason: notVerifiedReason(other.found, other.verified)
        })
    })
  )
  if (bundle._tag === "None") {
    if (incarnation !== null) yield* decideAndCommit(reopening(release.projectId, incarnation))
    return yield* decideAndCommit(ending(release.id, { _tag: bundle.ended, reason: bundle.reason }))
  }
  const project = (yield* demand("project", release.projectId)).record
  const outcome = yield* move(project, release.id, bundle.found, incarnation)
  if (outcome._tag === "Superseded")
    return yield* Effect.andThen(decideAndCommit(ending(release.id, { _tag: "Superseded" })), keepVersion(release.id))
  if (outcome._tag === "Removed") return yield* decideAndCommit(ending(release.id, { _tag: "Removed" }))
  yield* (yield* PointerSignal).moved(project.label)
  const probes = yield* smokeTest(release, { _tag: "App", label: project.label })
  yield* decideAndCommit(ending(release.id, { _tag: "Probed", probes }))
  yield* (yield* PointerSignal).moved(project.label)
})

/** Starts a release, superseding older ones; or supersedes it when a newer generation was promoted. */
const starting = Effect.fnUntraced(function* (releaseId: string) {
  const release = yield* demand("release", releaseId)
  if (Lifecycle.isFinal(ReleaseLifecycle, release.record.status)) return { answer: "over" as const }
  const head = yield* demand("head", release.record.projectId)
  if (head.record.generation > release.record.generation)
    return { ...(yield* ending(releaseId, { _tag: "Superseded" })), answer: "over" as const }
  const { commit, generation, projectId } = release.record
  const draft = Draft.begin(projectId, actor, yield* Time.now)
  // Building already: an earlier run of this process began it.
  if (!Draft.may(draft, "release", release, "started")) return { answer: "go" as const }
  const app = yield* find("pointer", pointerKey(projectId, "production"))
  const begun = app === null || app.record.status === "removed" ? {} : { incarnation: app.record.incarnation }
  Draft.expect(draft, Commit.unchanged("head", projectId, head))
  const chain = yield* chainOf(projectId)
  for (const each of yield* olderReleases(release.record)) yield* supersede(draft, each, chain)
  Draft.step(draft, "release", release, "started", begun, { "build.started": { releaseId, generation, commit } })
  return { answer: "go" as const, commit: Draft.end(draft, { name: "Releases.start", lease: (yield* Process).lease }) }
})

const olderReleases = Effect.fnUntraced(function* (release: Release) {
  const page = yield* (yield* Records).list("release", {
    projectId: release.projectId,
    where: { status: ["queued", "building"] },
    limit: "all"
  })
  return page.items.filter((each) => each.record.generation < release.generation)
})

const supersede = Effect.fnUntraced(function* (draft: Draft.Draft, older: Commit.Stored<Release>, chain: ReadChain) {
  const change = yield* demand("change", older.record.changeId)
  Draft.step(draft, "release", older, "newerPromoted", { reason: "a newer generation was promoted" })
  const stated = yield* releaseDigest(draft.projectId, older.record.generation)
  sayOutcome(draft, chain, older.record, { outcome: "superseded", release: stated, probes: null })
  afterRelease(draft, change, { ended: "released", reason: null, releaseId: older.record.id })
})

/** The pointer serves the release's bundle. */
export const movedStep = JournalStep.make("moved", Schema.TaggedStruct("Moved", {}))

/** Moves the production pointer to the release's bundle, once. It never moves back to an older generation. */
const move = Effect.fnUntraced(function* (
  project: Project,
  releaseId: string,
  bundle: ReleaseBundle,
  incarnation: number | null
) {
  const done = yield* journalled(movedStep)
  return done ?? (yield* moving(project, releaseId, bundle, incarnation))
})

const moving = Effect.fnUntraced(
  function* (project: Project, releaseId: string, bundle: ReleaseBundle, incarnation: number | null) {
    const release = yield* demand("release", releaseId)
    const pointer = yield* demand("pointer", pointerKey(project.id, "production"))
    if (release.record.status !== "building" || (pointer.record.generation ?? -1) > release.record.generation)
      return { _tag: "Superseded" as const }
    if (pointer.record.status === "removed") return { _tag: "Removed" as const }
    // Removed and deployed again meanwhile: the bundle may be gone with the app that it was found for.
    if (pointer.record.incarnation !== incarnation) return yield* Effect.fail(new Waiting("the app is a new one", 0))
    if (yield* reopened(pointer))
      return yield* new Conflict({ kind: "pointer", id: pointer.record.channel, expected: "building", actual: null })
    const previous = restorable(pointer.record, release.record.generation)
    const { commit, generation, id } = release.record
    const { digest: bundleDigest, key: bundleKey, source: bundleSource } = bundle
    const { expects, provenance } = yield* authorize(pointer.record, {
      step: release.record,
      builtAt: yield* builtAtOf(release.record, project),
      bundle,
      previous
    }).pipe(
      Effect.tapErrorTag("Waiting", ({ reason }) =>
        reason === unsignedReason ? decideAndCommit(sayingUnsigned(release.record)) : Effect.void
      )
    )
    const version = yield* versionRow(project, { commit, generation, bundle })
    const draft = Draft.begin(project.id, actor, yield* Time.now)
    Draft.expect(draft, ...expects)
    // What it goes back to, for as long as this release is not found good.
    const live = { commit, generation, bundleKey, bundleDigest, provenance, lastGood: previous, reason: null }
    Draft.step(draft, "pointer", pointer, "built", live)
    Draft.update(draft, "release", release, {
      incarnation: pointer.record.incarnation,
      replacedGeneration: previous?.generation ?? null,
      bundleSource,
      updatedAt: draft.now
    })
    if (version !== null) Draft.add(draft, version)
    Draft.emit(draft, "build.completed", id, { releaseId: id, generation, bundleSource, bundleDigest })
    return yield* commitStep(movedStep, Draft.end(draft, { name: "Releases.move" }), { _tag: "Moved" })
  },
  Effect.retry({ while: (error) => error._tag === "Conflict", times: 20 })
)

/** The Change says what its release stands still for, until that has ended. */
const sayingUnsigned = Effect.fnUntraced(function* ({ changeId, projectId }: Release) {
  const change = yield* demand("change", changeId)
  if (change.record.status !== "releasing" || change.record.reason === unsignedReason) return { answer: undefined }
  const draft = Draft.begin(projectId, actor, yield* Time.now)
  Draft.update(draft, "change", change, { reason: unsignedReason, updatedAt: draft.now })
  return { answer: undefined, commit: Draft.end(draft, { name: "Releases.unsigned", lease: (yield* Process).lease }) }
})

/** A row whose last build failed is building again before it is live: commits that, and answers whether it was so. */
const reopened = Effect.fnUntraced(function* (pointer: Commit.Stored<Pointer>) {
  const draft = Draft.begin(pointer.record.projectId, system("Releases.reopen"), yield* Time.now)
  if (!Draft.may(draft, "pointer", pointer, "buildStarted")) return false
  Draft.step(draft, "pointer", pointer, "buildStarted", { reason: null })
  yield* (yield* Ledger).commit(Draft.end(draft, { name: "Releases.reopen", lease: (yield* Process).lease }))
  return true
})
