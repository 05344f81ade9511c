/**
 * The release process, body of `release.run`: start (or be superseded), then by the path of what there is to release
 * to. The live-app path obtains the bundle, moves the pointer by compare-and-swap, probes through the router, and
 * deploys or restores. The path of a release target is `BuildServicePath`.
 */
import { Effect, Schema } from "effect"
import { system } from "../model/Actor.ts"
import { formatProblem, notVerified, usedUp } from "../bundle/Builds.ts"
import { versionRow } from "../app/Apps.ts"
import { reopening } from "../app/PointerBuilds.ts"
import { type Pointer, restorable } from "../model/Pointer.ts"
import { PointerLifecycle } from "../model/PointerLifecycle.ts"
import { PointerSignal } from "../app/PointerSignal.ts"
import { ground } from "../app/Removal.ts"
import type { NewEvent } from "../model/Event.ts"
import { afterRelease } from "../change/Changes.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Deciding.ts"
import { pointerKey } from "../model/Entities.ts"
import { Conflict, Ledger } from "../ledger/Ledger.ts"
import * as Lifecycle from "../model/Lifecycle.ts"
import { commitStep, journalled, Process, Waiting } from "../work/Processes.ts"
import * as JournalStep from "../work/JournalStep.ts"
import { Records } from "../ledger/Records.ts"
import * as Time from "../primitives/Time.ts"
import type { Project } from "../model/Project.ts"
import { ensureSynced } from "../project/SourceSync.ts"
import { runAtTarget } from "./BuildServicePath.ts"
import { ending } from "./Ending.ts"
import { isBoundTo, type Release } from "../model/Release.ts"
import { keepVersion } from "./KeptVersion.ts"
import { obtain, type ReleaseBundle } from "./ReleaseBundle.ts"
import { ReleaseLifecycle } from "../model/ReleaseLifecycle.ts"
import { releasesTo } from "../project/ReleaseTargets.ts"
import { smokeTest } from "./Smoke.ts"

const actor = system("release")

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
  const incarnation = yield* ground(release.projectId)
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
        Effect.succeed({ _tag: "None" as const, ended: "CapReached" as const, reason: usedUp(cap) }),
      BundleMismatch: (other) =>
        Effect.succeed({
          _tag: "None" as const,
          ended: "Failed" as const,
          reason: notVerified(other.found, other.verified)
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
  const next = Lifecycle.next(ReleaseLifecycle, release.record.status, "started")
  // Building already: an earlier run of this process began it.
  if (next._tag === "Failure") return { answer: "go" as const }
  const now = yield* Time.now
  const app = yield* find("pointer", pointerKey(release.record.projectId, "production"))
  const begun = app === null || app.record.status === "removed" ? {} : { incarnation: app.record.incarnation }
  const older = yield* olderReleases(release.record)
  const superseded = yield* Effect.forEach(older, (each) => supersede(each, now))
  return {
    answer: "go" as const,
    commit: {
      name: "Releases.start",
      projectId: release.record.projectId,
      lease: (yield* Process).lease,
      expects: [Commit.unchanged("head", head.record.projectId, head)],
      writes: [
        Commit.update("release", release, { ...begun, status: next.success, updatedAt: now }),
        ...superseded.flatMap((each) => each.writes)
      ],
      events: [
        ...superseded.flatMap((each) => each.events),
        {
          type: "build.started" as const,
          subject: releaseId,
          data: { releaseId, generation: release.record.generation, commit: release.record.commit },
          actor
        }
      ]
    }
  }
})

const olderReleases = Effect.fnUntraced(function* (release: Release) {
  const page = yield* (yield* Records).list("release", {
    projectId: release.projectId,
    where: { status: ["queued", "building"] },
    limit: "all"
  })
  return page.items.filter((each) => each.record.generation < release.generation)
})

const supersede = Effect.fnUntraced(function* (older: Commit.Stored<Release>, now: Time.Timestamp) {
  const next = Lifecycle.next(ReleaseLifecycle, older.record.status, "newerPromoted")
  if (next._tag === "Failure") return { writes: [], events: [] }
  const change = yield* demand("change", older.record.changeId)
  const ended = afterRelease(change, { ended: "released", reason: null, releaseId: older.record.id }, now, actor)
  return {
    writes: [
      Commit.update("release", older, {
        status: next.success,
        reason: "a newer generation was promoted",
        updatedAt: now
      }),
      ...ended.writes
    ],
    events: ended.events
  }
})

/** The pointer serves the release's bundle. */
export const moved = JournalStep.make("moved", Schema.TaggedStruct("Moved", {}))

/** Moves the production pointer to the release's bundle, once. It never moves back to an older generation. */
const move = Effect.fnUntraced(function* (
  project: Project,
  releaseId: string,
  bundle: ReleaseBundle,
  incarnation: number | null
) {
  const done = yield* journalled(moved)
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
    // A row whose last build failed is building again before it is live.
    const building = Lifecycle.next(PointerLifecycle, pointer.record.status, "buildStarted")
    if (building._tag === "Success") {
      yield* reopen(pointer, building.success)
      return yield* new Conflict({ kind: "pointer", id: pointer.record.channel, expected: "building", actual: null })
    }
    const live = Lifecycle.next(PointerLifecycle, pointer.record.status, "built")
    if (live._tag === "Failure") return yield* Effect.die(live.failure)
    const previous = restorable(pointer.record, release.record.generation)
    const now = yield* Time.now
    const { commit, generation } = release.record
    const version = yield* versionRow(project, {
      commit,
      generation,
      bundle: { key: bundle.key, digest: bundle.digest }
    })
    return yield* commitStep(
      moved,
      {
        name: "Releases.move",
        projectId: project.id,
        writes: [
          Commit.update("pointer", pointer, {
            commit,
            generation,
            bundle_key: bundle.key,
            bundle_digest: bundle.digest,
            // What it goes back to, for as long as this release is not found good.
            last_good: previous,
            status: live.success,
            reason: null,
            updated_at: now
          }),
          Commit.update("release", release, {
            incarnation: pointer.record.incarnation,
            replacedGeneration: previous?.generation ?? null,
            bundleSource: bundle.source,
            updatedAt: now
          }),
          ...(version === null ? [] : [version])
        ],
        events: [buildCompleted(release.record, bundle)]
      },
      { _tag: "Moved" }
    )
  },
  Effect.retry({ while: (error) => error._tag === "Conflict", times: 20 })
)

const reopen = Effect.fnUntraced(function* (pointer: Commit.Stored<Pointer>, status: Pointer["status"]) {
  const now = yield* Time.now
  yield* (yield* Ledger).commit({
    name: "Releases.reopen",
    projectId: pointer.record.project_id,
    lease: (yield* Process).lease,
    writes: [Commit.update("pointer", pointer, { status, reason: null, updated_at: now })]
  })
})

const buildCompleted = (release: Release, bundle: ReleaseBundle): NewEvent => ({
  type: "build.completed",
  subject: release.id,
  data: {
    releaseId: release.id,
    generation: release.generation,
    bundleSource: bundle.source,
    bundleDigest: bundle.digest
  },
  actor
})
