/** How a release ends: deployed, restored after a failed smoke test, failed, or superseded. */
import { Effect } from "effect"
import { system } from "../access/Actor.ts"
import { PointerLifecycle } from "../app/PointerLifecycle.ts"
import type { Pointer } from "../app/Pointer.ts"
import type { Evidence } from "../evidence/Evidence.ts"
import { afterRelease } from "../change/Changes.ts"
import type { NewEvent } from "../event/Event.ts"
import * as Commit from "../ledger/Commit.ts"
import { demand } from "../ledger/Deciding.ts"
import { pointerKey } from "../ledger/Entities.ts"
import * as Lifecycle from "../ledger/Lifecycle.ts"
import { Process } from "../ledger/Processes.ts"
import { makeUlid } from "../primitives/Ids.ts"
import * as Time from "../primitives/Time.ts"
import type { ProbeResult, Release } from "./Release.ts"
import { ReleaseLifecycle } from "./ReleaseLifecycle.ts"
import type { Previous } from "./Releases.ts"

const actor = system("release")

export type Ended =
  | { readonly _tag: "Superseded" }
  | { readonly _tag: "Failed"; readonly reason: string }
  | { readonly _tag: "Probed"; readonly probes: ReadonlyArray<ProbeResult>; readonly previous: Previous }

const none = { answer: undefined }

/** Ends a release with all that goes with it: its Change, its evidence, the pointer. Ends nothing twice. */
export const ending = (releaseId: string, ended: Ended) =>
  Effect.gen(function* () {
    const release = yield* demand("release", releaseId)
    if (Lifecycle.isFinal(ReleaseLifecycle, release.record.status)) return none
    const change = yield* demand("change", release.record.changeId)
    const pointer = yield* demand("pointer", pointerKey(release.record.projectId, "production"))
    const now = yield* Time.now
    const evidence =
      ended._tag === "Probed" ? releaseEvidence(release.record, ended.probes, `evd_${yield* makeUlid}`, now) : null
    const decided = decideEnd(release.record, ended, pointer.record)
    const next = Lifecycle.next(ReleaseLifecycle, release.record.status, decided.trigger)
    if (next._tag === "Left") return none
    const after = afterRelease(change, { ended: decided.change, reason: decided.reason, releaseId }, now, actor)
    return {
      answer: undefined,
      commit: {
        name: `Releases.${decided.trigger}`,
        projectId: release.record.projectId,
        lease: (yield* Process).lease,
        writes: [
          Commit.update("release", release, {
            status: next.right,
            reason: decided.reason,
            updatedAt: now,
            ...(ended._tag === "Probed" ? { probes: ended.probes } : {})
          }),
          ...(decided.pointer === null
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
  readonly trigger: "newerPromoted" | "buildFailed" | "probesPassed" | "probesFailed"
  readonly change: "released" | "releaseFailed"
  readonly reason: string | null
  readonly pointer: Partial<Pointer> | null
  readonly events: ReadonlyArray<NewEvent>
}

/** Pure: which end, and what the pointer does. */
export const decideEnd = (release: Release, ended: Ended, pointer: Pointer): End => {
  const about = { releaseId: release.id, generation: release.generation }
  const event = (type: NewEvent["type"], data: Record<string, unknown>): NewEvent => ({
    type,
    subject: release.id,
    data: { ...about, ...data },
    actor
  })
  switch (ended._tag) {
    case "Superseded":
      return {
        trigger: "newerPromoted",
        change: "released",
        reason: "a newer generation was promoted",
        pointer: null,
        events: []
      }
    case "Failed": {
      const events = [event("deployment.failed", { reason: ended.reason })]
      const failed = Lifecycle.next(PointerLifecycle, pointer.status, "buildFailed")
      const status =
        failed._tag === "Right" && failed.right !== pointer.status
          ? { status: failed.right, reason: ended.reason }
          : null
      return { trigger: "buildFailed", change: "releaseFailed", reason: ended.reason, pointer: status, events }
    }
    case "Probed": {
      if (ended.probes.every((probe) => probe.result === "pass"))
        return {
          trigger: "probesPassed",
          change: "released",
          reason: null,
          pointer: null,
          events: [event("deployment.completed", { status: "deployed" })]
        }
      const failing = ended.probes.filter((probe) => probe.result !== "pass")
      const reason = `smoke test: ${failing.map((probe) => `${probe.path} ${probe.detail}, expected ${probe.expected}`).join("; ")}`
      return {
        trigger: "probesFailed",
        change: "releaseFailed",
        reason,
        pointer: restored(release, ended.previous, pointer, reason),
        events: [
          ...(ended.previous === null
            ? []
            : [event("deployment.completed", { status: "restored", restoredGeneration: ended.previous.generation })]),
          event("release.smoke_failed", { probes: ended.probes })
        ]
      }
    }
  }
}

/** The pointer goes back to what it served, unless something newer has moved it since. */
const restored = (release: Release, previous: Previous, pointer: Pointer, reason: string): Partial<Pointer> | null => {
  if (pointer.status === "removed" || pointer.generation !== release.generation) return null
  if (previous !== null) return { ...previous, status: "live", reason: null }
  return { commit: null, generation: null, bundle_key: null, bundle_digest: null, status: "build_failed", reason }
}

/** Release evidence never feeds a promotion gate: its subject is the release. */
const releaseEvidence = (
  release: Release,
  probes: ReadonlyArray<ProbeResult>,
  id: Evidence["id"],
  now: Time.Timestamp
): Evidence => {
  const gap = probes.some((probe) => probe.result === "gap")
  const pass = probes.every((probe) => probe.result === "pass")
  return {
    id,
    projectId: release.projectId,
    subject: { releaseId: release.id },
    checkId: `release-s${release.generation}`,
    status: gap ? "not_checked" : pass ? "checked_supported" : "checked_unsupported",
    result: pass ? "pass" : gap ? "gap" : "fail",
    commit: release.commit,
    tree: release.tree,
    outputKey: null,
    outputDigest: null,
    startedAt: release.updatedAt,
    finishedAt: now,
    runner: { isolation: "router", version: "1", guarantees: [] },
    summary: probes.map((probe) => `${probe.path}: ${probe.detail}`).join("\n"),
    attempt: 1
  }
}
