/** How a release ends: deployed, restored after a failed smoke test, failed, or superseded. */
import { Effect } from "effect"
import { system } from "../model/Actor.ts"
import { notBuilt } from "../app/PointerBuilds.ts"
import { PointerLifecycle } from "../model/PointerLifecycle.ts"
import { type Pointer, restorable, servedBy } from "../model/Pointer.ts"
import type { Evidence } from "../model/Evidence.ts"
import { afterRelease } from "../change/Changes.ts"
import type { NewEvent } from "../model/Event.ts"
import * as Commit from "../ledger/Commit.ts"
import { demand, find } from "../ledger/Deciding.ts"
import { pointerKey } from "../model/Entities.ts"
import * as Lifecycle from "../model/Lifecycle.ts"
import { Process } from "../work/Processes.ts"
import { makeUlid } from "../primitives/Ids.ts"
import * as Time from "../primitives/Time.ts"
import { isBoundTo, type ProbeResult, type Release } from "../model/Release.ts"
import { ReleaseLifecycle } from "../model/ReleaseLifecycle.ts"

const actor = system("release")

export type Ended =
  | { readonly _tag: "Superseded" }
  | { readonly _tag: "Failed"; readonly reason: string }
  /** It needed a build on a day whose builds are all used. */
  | { readonly _tag: "CapReached"; readonly reason: string }
  /** The app that it began with is gone; another one may stand in its place. */
  | { readonly _tag: "Removed" }
  /** Still queued or building 45 minutes after the promotion. `releasable`: whether there still is something to release to. */
  | { readonly _tag: "Stuck"; readonly releasable: boolean }
  | { readonly _tag: "Probed"; readonly probes: ReadonlyArray<ProbeResult> }
  /** Probed at a release target: no pointer of ours is concerned, and its deployment was told when it was confirmed. */
  | { readonly _tag: "TargetProbed"; readonly probes: ReadonlyArray<ProbeResult> }

const none = { answer: undefined }

/** Ends a release with all that goes with it: its Change, its evidence, the pointer. Ends nothing twice. */
export const ending = Effect.fnUntraced(function* (releaseId: string, ended: Ended) {
  const release = yield* demand("release", releaseId)
  if (Lifecycle.isFinal(ReleaseLifecycle, release.record.status)) return none
  const change = yield* demand("change", release.record.changeId)
  // A release target has no pointer.
  const there = yield* find("pointer", pointerKey(release.record.projectId, "production"))
  const pointer = there !== null && isBoundTo(release.record, there.record.incarnation) ? there : null
  // What answered the probes may have been the app that was deployed since.
  const how: Ended = ended._tag === "Probed" && pointer === null ? { _tag: "Removed" } : ended
  const now = yield* Time.now
  const probes = "probes" in how ? how.probes : null
  const evidence =
    probes === null
      ? null
      : releaseEvidence(release.record, probes, {
          id: `evd_${yield* makeUlid}`,
          checkId: releaseCheck(release.record),
          startedAt: release.record.updatedAt,
          now
        })
  const decided = decideEnd(release.record, how, pointer?.record ?? null)
  const next = Lifecycle.next(ReleaseLifecycle, release.record.status, decided.trigger)
  if (next._tag === "Failure") return none
  const after = afterRelease(change, { ended: decided.change, reason: decided.reason, releaseId }, now, actor)
  return {
    answer: undefined,
    commit: {
      name: `Releases.${decided.trigger}`,
      projectId: release.record.projectId,
      lease: (yield* Process).lease,
      writes: [
        Commit.update("release", release, {
          status: next.success,
          reason: decided.reason,
          updatedAt: now,
          ...(probes === null ? {} : { probes })
        }),
        ...(decided.pointer === null || pointer === null
          ? []
          : [Commit.update("pointer", pointer, { ...decided.pointer, updated_at: now })]),
        ...(evidence === null ? [] : [Commit.insert("evidence", evidence)]),
        ...after.writes
      ],
      events: [...decided.events, ...after.events]
    }
  }
})

interface End {
  readonly trigger: "newerPromoted" | "buildFailed" | "stuck" | "probesPassed" | "probesFailed"
  readonly change: "released" | "releaseFailed"
  readonly reason: string | null
  readonly pointer: Partial<Pointer> | null
  readonly events: ReadonlyArray<NewEvent>
}

type EventOf = (type: NewEvent["type"], data: Record<string, unknown>) => NewEvent

/** Pure: which end, and what the pointer does. */
const decideEnd = (release: Release, ended: Ended, pointer: Pointer | null): End => {
  const event: EventOf = (type, data) => ({
    type,
    subject: release.id,
    data: { releaseId: release.id, generation: release.generation, ...data },
    actor
  })
  switch (ended._tag) {
    case "Superseded": {
      const reason = "a newer generation was promoted"
      return { trigger: "newerPromoted", change: "released", reason, pointer: null, events: [] }
    }
    case "Removed": {
      const reason = "the app was removed"
      const events = [event("deployment.failed", { reason })]
      return { trigger: "buildFailed", change: "releaseFailed", reason, pointer: null, events }
    }
    case "Failed":
    case "CapReached": {
      const met = ended._tag === "CapReached" ? "capReached" : "buildFailed"
      const events = [event("deployment.failed", { reason: ended.reason })]
      return {
        trigger: "buildFailed",
        change: "releaseFailed",
        reason: ended.reason,
        pointer: pointer === null ? null : notBuilt(pointer, met, ended.reason),
        events
      }
    }
    case "Stuck": {
      const reason = "the release did not end within 45 minutes of its promotion"
      const change = ended.releasable ? "releaseFailed" : "released"
      // Only a release that has moved the pointer takes it back.
      if (pointer === null || release.bundleSource === null)
        return { trigger: "stuck", change, reason, pointer: null, events: [] }
      return { trigger: "stuck", change, reason, ...takenBack(release, pointer, reason, event) }
    }
    case "Probed":
    case "TargetProbed":
      return decideProbed(release, ended, pointer, event)
  }
}

const decideProbed = (
  release: Release,
  ended: Extract<Ended, { readonly _tag: "Probed" | "TargetProbed" }>,
  pointer: Pointer | null,
  event: EventOf
): End => {
  const app = ended._tag === "Probed" ? pointer : null
  if (ended.probes.every((probe) => probe.result === "pass"))
    return {
      trigger: "probesPassed",
      change: "released",
      reason: null,
      pointer: app === null || app.generation !== release.generation ? null : { last_good: servedBy(app) },
      events: app === null ? [] : [event("deployment.completed", { status: "deployed" })]
    }
  const reason = smokeReason(ended.probes)
  const back = app === null ? { pointer: null, events: [] } : takenBack(release, app, reason, event)
  return {
    trigger: "probesFailed",
    change: "releaseFailed",
    reason,
    pointer: back.pointer,
    events: [...back.events, event("release.smoke_failed", { probes: ended.probes })]
  }
}

/** Why a smoke test failed, in words. */
export const smokeReason = (probes: ReadonlyArray<ProbeResult>): string => {
  const failing = probes.filter((probe) => probe.result !== "pass")
  return `smoke test: ${failing.map((probe) => `${probe.path} ${probe.detail}, expected ${probe.expected}`).join("; ")}`
}

/** The pointer goes back to what was last found good, unless something newer has moved it since. */
const takenBack = (
  release: Release,
  pointer: Pointer,
  reason: string,
  event: EventOf
): Pick<End, "pointer" | "events"> => {
  if (pointer.status === "removed" || pointer.generation !== release.generation) return { pointer: null, events: [] }
  const previous = restorable(pointer, release.generation)
  if (previous === null) return { pointer: withdrawn(pointer, reason), events: [] }
  const built = Lifecycle.next(PointerLifecycle, pointer.status, "built")
  if (built._tag === "Failure") return { pointer: null, events: [] }
  return {
    pointer: { ...previous, status: built.success, reason: null },
    events: [event("deployment.completed", { status: "restored", restoredGeneration: previous.generation })]
  }
}

/** Nothing good was ever served, so nothing is. */
const withdrawn = (pointer: Pointer, reason: string): Partial<Pointer> | null => {
  const next = Lifecycle.next(PointerLifecycle, pointer.status, "withdrawn")
  if (next._tag === "Failure") return null
  return { commit: null, generation: null, bundle_key: null, bundle_digest: null, status: next.success, reason }
}

/** The check that a release's own probes are. */
export const releaseCheck = (release: Release): string => `release-s${release.generation}`

/** Release evidence never feeds a promotion gate: its subject is the release. */
export const releaseEvidence = (
  release: Release,
  probes: ReadonlyArray<ProbeResult>,
  about: {
    readonly id: Evidence["id"]
    readonly checkId: string
    readonly startedAt: Time.Timestamp
    readonly now: Time.Timestamp
  }
): Evidence => {
  const worst = (["fail", "gap"] as const).find((result) => probes.some((probe) => probe.result === result)) ?? "pass"
  return {
    id: about.id,
    projectId: release.projectId,
    subject: { releaseId: release.id },
    checkId: about.checkId,
    status: ({ pass: "checked_supported", fail: "checked_unsupported", gap: "not_checked" } as const)[worst],
    result: worst,
    commit: release.commit,
    tree: release.tree,
    outputKey: null,
    outputDigest: null,
    startedAt: about.startedAt,
    finishedAt: about.now,
    runner: { isolation: "router", version: "1", guarantees: [] },
    summary: probes.map((probe) => `${probe.path}: ${probe.detail}`).join("\n"),
    attempt: 1
  }
}
