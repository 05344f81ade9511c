/**
 * The release process, body of `release.run`, by the live-app path: start (or be superseded), obtain the bundle,
 * move the pointer by compare-and-swap, probe through the router, and deploy or restore.
 */
import { Effect } from "effect"
import { system } from "../access/Actor.ts"
import { formatProblem } from "../app/Builds.ts"
import { versionRow } from "../app/Apps.ts"
import type { Pointer } from "../app/Pointer.ts"
import { PointerSignal } from "../app/PointerSignal.ts"
import type { NewEvent } from "../event/Event.ts"
import { afterRelease } from "../change/Changes.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand } from "../ledger/Deciding.ts"
import { pointerKey } from "../ledger/Entities.ts"
import * as Lifecycle from "../ledger/Lifecycle.ts"
import { commitStep, Process } from "../ledger/Processes.ts"
import { Records } from "../ledger/Records.ts"
import * as Time from "../primitives/Time.ts"
import type { Project } from "../project/Project.ts"
import { ending } from "./Ending.ts"
import type { Release } from "./Release.ts"
import { obtain, type ReleaseBundle } from "./ReleaseBundle.ts"
import { ReleaseLifecycle } from "./ReleaseLifecycle.ts"
import { smokeTest } from "./Smoke.ts"

const actor = system("release")

export const run = (releaseId: string) =>
  Effect.gen(function* () {
    if ((yield* decideAndCommit(starting(releaseId))) === "over") return
    const release = (yield* demand("release", releaseId)).record
    const bundle = yield* obtain(release).pipe(
      Effect.map((found) => ({ _tag: "Found" as const, found })),
      Effect.catchTags({
        BuildRefused: (refused) =>
          Effect.succeed({ _tag: "None" as const, reason: refused.problems.map(formatProblem).join("\n") }),
        BuildCrashed: (crash) =>
          Effect.succeed({ _tag: "None" as const, reason: `the bundler did not finish: ${crash.reason}` }),
        BuildCapReached: (cap) =>
          Effect.succeed({ _tag: "None" as const, reason: `all ${cap.perDay} builds of today are used` }),
        BundleMismatch: (other) =>
          Effect.succeed({
            _tag: "None" as const,
            reason: `the build gave ${other.found}, verified was ${other.verified}`
          })
      })
    )
    if (bundle._tag === "None")
      return yield* decideAndCommit(ending(releaseId, { _tag: "Failed", reason: bundle.reason }))
    const project = (yield* demand("project", release.projectId)).record
    const moved = yield* move(project, releaseId, bundle.found)
    if (moved._tag === "Superseded") return yield* decideAndCommit(ending(releaseId, { _tag: "Superseded" }))
    if (moved._tag === "Removed")
      return yield* decideAndCommit(ending(releaseId, { _tag: "Failed", reason: "the app was removed" }))
    yield* (yield* PointerSignal).moved(project.label)
    const probes = yield* smokeTest(release, project.label)
    yield* decideAndCommit(ending(releaseId, { _tag: "Probed", probes, previous: moved.previous }))
    yield* (yield* PointerSignal).moved(project.label)
  }).pipe(Effect.withSpan("Releases.run", { attributes: { releaseId } }))

/** Starts a release, superseding older ones; or supersedes it when a newer generation was promoted. */
const starting = (releaseId: string) =>
  Effect.gen(function* () {
    const release = yield* demand("release", releaseId)
    if (Lifecycle.isFinal(ReleaseLifecycle, release.record.status)) return { answer: "over" as const }
    const head = yield* demand("head", release.record.projectId)
    if (head.record.generation > release.record.generation)
      return { ...(yield* ending(releaseId, { _tag: "Superseded" })), answer: "over" as const }
    const next = Lifecycle.next(ReleaseLifecycle, release.record.status, "started")
    // Building already: an earlier run of this process began it.
    if (next._tag === "Left") return { answer: "go" as const }
    const now = yield* Time.now
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
          Commit.update("release", release, { status: next.right, updatedAt: now }),
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

const olderReleases = (release: Release) =>
  Effect.gen(function* () {
    const page = yield* (yield* Records).list("release", {
      projectId: release.projectId,
      where: { status: ["queued", "building"] },
      limit: "all"
    })
    return page.items.filter((each) => each.record.generation < release.generation)
  })

const supersede = (older: Commit.Stored<Release>, now: Time.Timestamp) =>
  Effect.gen(function* () {
    const change = yield* demand("change", older.record.changeId)
    const ended = afterRelease(change, { ended: "released", reason: null, releaseId: older.record.id }, now, actor)
    return {
      writes: [
        Commit.update("release", older, {
          status: "superseded",
          reason: "a newer generation was promoted",
          updatedAt: now
        }),
        ...ended.writes
      ],
      events: ended.events
    }
  })

/** What the pointer served before; null when it served nothing yet. */
export type Previous = Pick<Pointer, "commit" | "generation" | "bundle_key" | "bundle_digest"> | null

type Moved =
  | { readonly _tag: "Moved"; readonly previous: Previous }
  | { readonly _tag: "Superseded" }
  | { readonly _tag: "Removed" }

/** Moves the production pointer to the release's bundle, once. It never moves back to an older generation. */
const move = (project: Project, releaseId: string, bundle: ReleaseBundle) =>
  Effect.gen(function* () {
    const done = (yield* Process).steps.get("moved") as Moved | undefined
    return done ?? (yield* moving(project, releaseId, bundle))
  })

const moving = (project: Project, releaseId: string, bundle: ReleaseBundle) =>
  Effect.gen(function* () {
    const release = yield* demand("release", releaseId)
    const pointer = yield* demand("pointer", pointerKey(project.id, "production"))
    if (release.record.status !== "building" || (pointer.record.generation ?? -1) > release.record.generation)
      return { _tag: "Superseded" } as Moved
    if (pointer.record.status === "removed") return { _tag: "Removed" } as Moved
    const previous: Previous =
      pointer.record.status === "live" || pointer.record.commit !== null ? pointer.record : null
    const kept =
      previous === null
        ? null
        : {
            commit: previous.commit,
            generation: previous.generation,
            bundle_key: previous.bundle_key,
            bundle_digest: previous.bundle_digest
          }
    const now = yield* Time.now
    const { commit, generation } = release.record
    const version = yield* versionRow(project, {
      commit,
      generation,
      bundle: { key: bundle.key, digest: bundle.digest }
    })
    return yield* commitStep(
      "moved",
      {
        name: "Releases.move",
        projectId: project.id,
        writes: [
          Commit.update("pointer", pointer, {
            commit,
            generation,
            bundle_key: bundle.key,
            bundle_digest: bundle.digest,
            status: "live",
            reason: null,
            updated_at: now
          }),
          Commit.update("release", release, {
            replacedGeneration: kept?.generation ?? null,
            bundleSource: bundle.source,
            updatedAt: now
          }),
          ...(version === null ? [] : [version])
        ],
        events: [buildCompleted(release.record, bundle)]
      },
      { _tag: "Moved", previous: kept } as Moved
    )
  }).pipe(Effect.retry({ while: (error) => error._tag === "Conflict", times: 20 }))

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
