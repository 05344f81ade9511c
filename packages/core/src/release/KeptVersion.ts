/**
 * What stays of a generation whose release ended before it moved the pointer: its version row, and the bundle that was
 * verified. Production is not touched; a rollback to the generation serves what is kept here.
 */
import { Effect } from "effect"
import { versionRow } from "../app/Apps.ts"
import type { BundleRef } from "../app/Apps.ts"
import type { Pointer } from "../model/Pointer.ts"
import { incarnationOf } from "../app/Removal.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import { pointerKey } from "../model/Entities.ts"
import { Process, Waiting } from "../work/Processes.ts"
import { versionId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import { unchangedProject } from "../project/ArchivedProject.ts"
import { isBoundTo, type Release } from "../model/Release.ts"
import { obtain, storedBundleOf } from "./ReleaseBundle.ts"
import { releasesTo } from "../project/ReleaseTargets.ts"

/**
 * Keeps the version of a release that was superseded, built anew when its bundle is not stored any more; and of one that
 * failed, when its bundle is stored. Repeating it changes nothing. Of an app that was removed since the promotion
 * nothing comes back.
 */
export const keepVersion = (releaseId: string) =>
  Effect.gen(function* () {
    const release = (yield* find("release", releaseId))?.record
    if (release === undefined || !ended.includes(release.status) || (yield* isKept(release))) return
    if ((yield* demand("project", release.projectId)).record.status === "archived") return
    if ((yield* releasesTo(release.projectId))?._tag !== "App") return
    const incarnation = yield* incarnationOf(release.projectId)
    if (incarnation === null) return
    const production = (yield* demand("pointer", pointerKey(release.projectId, "production"))).record
    if (!isOf(release, production)) return
    const bundle = yield* verified(release)
    if (bundle !== null) yield* decideAndCommit(keeping(release, bundle, incarnation))
  }).pipe(Effect.withSpan("KeptVersion.keep", { attributes: { releaseId } }))

const ended: ReadonlyArray<Release["status"]> = ["superseded", "failed"]

const isKept = ({ projectId, generation }: Release) =>
  Effect.map(find("pointer", pointerKey(projectId, `preview:${versionId(generation)}`)), (version) => version !== null)

/** Whether the release was for the app that is there: one that never began is not for an app that was deployed after it. */
const isOf = (release: Release, production: Pointer): boolean =>
  isBoundTo(release, production.incarnation) &&
  (release.incarnation !== undefined || release.createdAt >= production.createdAt)

/** The bundle as a release obtains it; null when there is none to be had, which its version row would not change. */
const verified = (release: Release) =>
  Effect.map(
    release.status === "superseded" ? obtain(release) : storedBundleOf(release),
    (bundle): BundleRef | null => bundle
  ).pipe(
    Effect.catchTags({
      // Its preview is over, and today's builds are used: tomorrow there are others.
      BuildCapReached: () => Effect.fail(new Waiting("all builds of today are used", Limits.commandBackoffMaxMs)),
      BuildRefused: (refused) => missing(release, refused.message),
      BuildCrashed: (crash) => missing(release, crash.reason),
      BundleMismatch: (other) => missing(release, other.message)
    })
  )

const missing = (release: Release, reason: string) =>
  Effect.logWarning("a generation has no bundle", reason).pipe(
    Effect.annotateLogs({ releaseId: release.id }),
    Effect.as(null)
  )

const keeping = Effect.fnUntraced(function* (release: Release, bundle: BundleRef, incarnation: number) {
  const none = { answer: undefined }
  const project = yield* demand("project", release.projectId)
  const production = yield* demand("pointer", pointerKey(release.projectId, "production"))
  const { record: pointer } = production
  // Removed meanwhile, or deployed again since: the bundle went with the app before.
  if (project.record.status === "archived" || pointer.status === "removed" || pointer.incarnation !== incarnation)
    return none
  const { commit, generation } = release
  const version = yield* versionRow(project.record, { commit, generation, bundle })
  if (version === null) return none
  return {
    answer: undefined,
    commit: {
      name: "KeptVersion.keep",
      projectId: release.projectId,
      lease: (yield* Process).lease,
      expects: [
        unchangedProject(project),
        Commit.unchanged("pointer", pointerKey(release.projectId, "production"), production)
      ],
      writes: [version]
    }
  }
})
