/**
 * Failure injection (specification, Injection rule 13): the live release is probed as ever, and at one path that no app
 * serves. Its 404 fails the smoke check of a release that is deployed. Neither the pointer nor canonical moves, and the
 * Change stays as it ended.
 */
import { Effect, Schema } from "effect"
import type { Actor } from "../model/Actor.ts"
import type { Evidence } from "../model/Evidence.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { pointerKey } from "../model/Entities.ts"
import { Records } from "../ledger/Records.ts"
import { makeUlid, type ProjectId, releaseId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import { Settings } from "../primitives/Settings.ts"
import * as Time from "../primitives/Time.ts"
import { chainOf, releaseDigest } from "../provenance/Chains.ts"
import { sayOutcome } from "../provenance/ReleaseStatements.ts"
import { demandActive, unchangedProject } from "../project/ArchivedProject.ts"
import { releaseCheck, releaseEvidence, smokeReason } from "./ReleaseEnd.ts"
import type { ProbeResult, Release } from "../model/Release.ts"
import { releasesTo } from "../project/ReleaseTargets.ts"
import { ask, type Place, smokeTest } from "./Smoke.ts"

/** Failure injection is switched off in this installation. */
export class FixturesDisabled extends Schema.TaggedError<FixturesDisabled>()("FixturesDisabled", {}) {
  override get message() {
    return "This installation injects no failures."
  }
}

/** What is live was not deployed by a Release, or nothing is live. */
export class NoDeployedRelease extends Schema.TaggedError<NoDeployedRelease>()("NoDeployedRelease", {
  projectId: Schema.String
}) {
  override get message() {
    return `What is live at ${this.projectId} was not deployed by a release, or nothing is live. Promote a Candidate first.`
  }
}

/** Under the prefix that never reaches an app. */
export const injectedPath = "/__service/injected-missing-route"

/** The release that was made to fail, and the Evidence of it. */
export interface Injected {
  readonly release: Release
  readonly evidence: Evidence
}

/**
 * Makes the smoke check of the live release fail. Answers the release, `smoke_failed` by now, and its evidence
 * `release-s<N>-injected`; a repeat answers the same. Fails with `FixturesDisabled`, `ProjectArchived` or
 * `NoDeployedRelease`.
 */
export const injectFailure = (actor: Actor, projectId: ProjectId) =>
  injecting(actor, projectId).pipe(
    Effect.retry({ while: (error) => error._tag === "Moved", times: Limits.commitAttempts }),
    Effect.catchTag("Moved", () => new NoDeployedRelease({ projectId })),
    Effect.withSpan("Injection.injectFailure", { attributes: { projectId } })
  )

/** Another release went live while this one was probed: the answers may be the other's. */
class Moved {
  readonly _tag = "Moved"
}

const injecting = Effect.fnUntraced(function* (actor: Actor, projectId: ProjectId) {
  if (!(yield* Settings).fixturesEnabled) return yield* new FixturesDisabled()
  yield* demandActive(projectId)
  const { place, release } = yield* liveRelease(projectId)
  const before = yield* injectedBefore(release.record)
  if (before !== null) return before
  const missing = { path: injectedPath, expects: 200, json: false }
  const startedAt = yield* Time.now
  // What no app serves will not be served 20 seconds later either: this one is asked once.
  const probes = [...(yield* smokeTest(release.record, place)), yield* ask(place, missing)]
  return yield* decideAndCommit(failing(actor, release.record, probes, startedAt))
})

/** The release that is live, deployed or failed by an injection before, and where it answers. */
const liveRelease = Effect.fnUntraced(function* (projectId: ProjectId) {
  const none = new NoDeployedRelease({ projectId })
  const to = yield* releasesTo(projectId)
  if (to === null) return yield* none
  const release = to._tag === "App" ? yield* servedByPointer(projectId) : yield* newestAtTarget(projectId)
  if (release === null) return yield* none
  if (release.record.status !== "deployed" && (yield* injectedBefore(release.record)) === null) return yield* none
  const place: Place =
    to._tag === "App"
      ? { _tag: "App", label: (yield* demand("project", projectId)).record.label }
      : { _tag: "Target", url: to.target.url }
  return { place, release }
})

const servedByPointer = Effect.fnUntraced(function* (projectId: ProjectId) {
  const pointer = yield* demand("pointer", pointerKey(projectId, "production"))
  const { generation, status } = pointer.record
  return status !== "live" || generation === null ? null : yield* find("release", releaseId(projectId, generation))
})

const newestAtTarget = Effect.fnUntraced(function* (projectId: ProjectId) {
  const ended = yield* (yield* Records).list("release", {
    projectId,
    where: { status: ["deployed", "smoke_failed"] },
    order: "newest",
    limit: 1
  })
  return ended.items[0] ?? null
})

const injectedCheck = (release: Release): string => `${releaseCheck(release)}-injected`

const injectedBefore = Effect.fnUntraced(function* (release: Release) {
  const rows = yield* (yield* Records).list("evidence", { where: { subject: release.id }, limit: "all" })
  const evidence = rows.items.find(({ record }) => record.checkId === injectedCheck(release))?.record
  return evidence === undefined ? null : ({ release, evidence } satisfies Injected)
})

const failing = Effect.fnUntraced(function* (
  actor: Actor,
  probed: Release,
  probes: ReadonlyArray<ProbeResult>,
  startedAt: Time.Timestamp
) {
  const project = yield* demandActive(probed.projectId)
  const { release } = yield* liveRelease(probed.projectId)
  if (release.record.id !== probed.id) return yield* Effect.fail(new Moved())
  const before = yield* injectedBefore(release.record)
  if (before !== null) return { answer: before }
  const draft = Draft.begin(release.record.projectId, actor, yield* Time.now)
  const { now, projectId } = draft
  // Released anew meanwhile, and not live yet.
  if (!Draft.may(draft, "release", release, "failureInjected")) return yield* new NoDeployedRelease({ projectId })
  const evidence = releaseEvidence(release.record, probes, {
    id: `evd_${yield* makeUlid}`,
    checkId: injectedCheck(release.record),
    startedAt,
    now
  })
  const { generation, id: releaseId } = release.record
  const failed = { "release.smoke_failed": { releaseId, generation, probes, injected: true as const } }
  Draft.expect(draft, unchangedProject(project))
  const fields = { reason: smokeReason(probes), probes }
  const after = Draft.step(draft, "release", release, "failureInjected", fields, failed)
  Draft.insert(draft, "evidence", evidence)
  const stated = yield* releaseDigest(projectId, generation)
  sayOutcome(draft, yield* chainOf(projectId), release.record, {
    outcome: "smoke_failed",
    release: stated,
    probes,
    injected: true
  })
  return {
    answer: { release: after.record, evidence } satisfies Injected,
    commit: Draft.end(draft, { name: "Injection.fail" })
  }
})
