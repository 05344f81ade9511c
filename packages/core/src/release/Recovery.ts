/**
 * Recovery of stuck releases (specification, "A stuck releasing Change"). A scan sends one `release.recover` per Change
 * that is still releasing when a worker had 45 minutes for it since its promotion; its body ends the release and the
 * Change. A worker that is still busy with that release writes nothing more: each of its commits guards the release row
 * that is ended here.
 */
import { Effect } from "effect"
import { system } from "../model/Actor.ts"
import { PointerSignal } from "../app/PointerSignal.ts"
import type { Change } from "../model/Change.ts"
import { afterRelease } from "../change/Changes.ts"
import { commandId } from "../model/Command.ts"
import { Commands } from "../work/Commands.ts"
import type * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { generationKey } from "../model/Entities.ts"
import * as Lifecycle from "../model/Lifecycle.ts"
import { Process } from "../work/Processes.ts"
import { Records } from "../ledger/Records.ts"
import { releaseId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { chainOf, releaseDigest } from "../provenance/Chains.ts"
import { sayOutcome } from "../provenance/ReleaseStatements.ts"
import type { Generation } from "../model/Generation.ts"
import { workedSince } from "../model/Schedule.ts"
import { ending } from "./ReleaseEnd.ts"
import { keepVersion } from "./KeptVersion.ts"
import type { Release } from "../model/Release.ts"
import { ReleaseLifecycle } from "../model/ReleaseLifecycle.ts"
import { releasesTo } from "../project/ReleaseTargets.ts"

const actor = system("release-recovery")

/** The generation that promoted a Change; null when none did. */
const promotionOf = Effect.fnUntraced(function* (changeId: string) {
  const records = yield* Records
  const promoted = yield* records.list("candidate", { where: { changeId, status: "promoted" }, limit: 1 })
  const candidate = promoted.items[0]?.record
  if (candidate === undefined) return null
  const key = generationKey(candidate.projectId, candidate.baseGeneration + 1)
  return (yield* find("generation", key))?.record ?? null
})

/** What a release waits for beside its own work: what promotes it and brings `main` to it. */
const promotionKinds = ["candidate.promote", "canonical.sweep", "release.run"] as const

/**
 * Whether a worker had 45 minutes for the release: since its promotion, since its command was sent, and since that no
 * longer waits for machinery that was away. Time in which no worker was up, or all were paused, is nobody's.
 */
const isStuck = Effect.fnUntraced(function* ({ projectId, promotedAt }: Generation) {
  const worked = (yield* find("schedule", "release.recover"))?.record.worked ?? []
  const promotedMs = Time.toMillis(promotedAt)
  if (workedSince(worked, promotedMs) < Limits.releaseStuckAfterMs) return false
  const workableMs = (yield* (yield* Commands).workableSince(projectId, promotionKinds)) ?? promotedMs
  return workedSince(worked, Math.max(promotedMs, workableMs)) >= Limits.releaseStuckAfterMs
})

/**
 * Looks at every releasing Change of the installation and sends `release.recover` for each that is stuck. Answers how
 * many that were. A command that waits already is not sent again.
 */
export const scanStuck = Effect.gen(function* () {
  const releasing = yield* (yield* Records).list("change", { where: { status: "releasing" }, limit: "all" })
  const sent = yield* Effect.forEach(releasing.items, ({ record }) => sendIfStuck(record))
  return sent.filter((each) => each).length
}).pipe(Effect.withSpan("Recovery.scanStuck"))

const sendIfStuck = Effect.fnUntraced(function* (change: Change) {
  const promotion = yield* promotionOf(change.id)
  if (promotion === null || !(yield* isStuck(promotion))) return false
  const command = {
    kind: "release.recover" as const,
    id: commandId("release.recover", change.id),
    payload: { changeId: change.id }
  }
  const commit = { name: "Recovery.send", projectId: change.projectId, commands: [command] }
  yield* decideAndCommit(Effect.succeed({ answer: undefined, commit }))
  return true
})

/** The body of `release.recover`. A Change that is not stuck, or not any more, is left alone. */
export const recover = (changeId: string) =>
  Effect.gen(function* () {
    yield* decideAndCommit(recovering(changeId))
    const promotion = yield* promotionOf(changeId)
    if (promotion !== null) yield* keepVersion(releaseId(promotion.projectId, promotion.generation))
    const { projectId } = (yield* demand("change", changeId)).record
    yield* (yield* PointerSignal).moved((yield* demand("project", projectId)).record.label)
  }).pipe(Effect.withSpan("Recovery.recover", { attributes: { changeId } }))

const recovering = Effect.fnUntraced(function* (changeId: string) {
  const none = { answer: undefined }
  const change = yield* demand("change", changeId)
  if (change.record.status !== "releasing") return none
  const promotion = yield* promotionOf(changeId)
  if (promotion === null || !(yield* isStuck(promotion))) return none
  const release = yield* find("release", releaseId(change.record.projectId, promotion.generation))
  const releasable = (yield* releasesTo(change.record.projectId)) !== null
  if (release === null) return yield* recordingUnstarted(change, promotion, releasable)
  if (!Lifecycle.isFinal(ReleaseLifecycle, release.record.status))
    return yield* ending(release.record.id, { _tag: "Stuck", releasable })
  // A release ends together with its Change. Should one ever not have, the Change follows here.
  const good = release.record.status === "deployed" || release.record.status === "superseded"
  return yield* endingChange(yield* begun(change), change, release.record, good || !releasable)
})

/** The draft of what a recovery writes. */
const begun = (change: Commit.Stored<Change>) =>
  Effect.map(Time.now, (now) => Draft.begin(change.record.projectId, actor, now))

/** Records a release that never started as failed, and ends its Change. */
const recordingUnstarted = Effect.fnUntraced(function* (
  change: Commit.Stored<Change>,
  promotion: Generation,
  releasable: boolean
) {
  const { candidateId, commit, generation, projectId, tree } = promotion
  if (candidateId === null) return { answer: undefined }
  const draft = yield* begun(change)
  const { now } = draft
  const release: Release = {
    id: releaseId(projectId, generation),
    projectId,
    generation,
    changeId: change.record.id,
    candidateId,
    commit,
    tree,
    status: "failed",
    reason: "the release never started",
    replacedGeneration: null,
    bundleSource: null,
    probes: [],
    createdAt: now,
    updatedAt: now
  }
  Draft.insert(draft, "release", release)
  const chain = yield* chainOf(projectId)
  const stated = yield* releaseDigest(projectId, generation)
  sayOutcome(draft, chain, release, { outcome: "failed", release: stated, probes: null })
  return yield* endingChange(draft, change, release, !releasable)
})

/** What is in the draft, and the end of the Change. */
const endingChange = Effect.fnUntraced(function* (
  draft: Draft.Draft,
  change: Commit.Stored<Change>,
  { id: releaseId, reason }: Release,
  completes: boolean
) {
  afterRelease(draft, change, { ended: completes ? "released" : "releaseFailed", reason, releaseId })
  return { answer: undefined, commit: Draft.end(draft, { name: "Recovery.recover", lease: (yield* Process).lease }) }
})
