/** How a release ends: deployed, restored after a failed smoke test, failed, or superseded. */
import { Effect } from "effect"
import { system } from "../model/Actor.ts"
import { notBuilt } from "../app/PointerBuilds.ts"
import { type Pointer, restorable, type Served, servedBy } from "../model/Pointer.ts"
import type { Evidence } from "../model/Evidence.ts"
import { chainOf, releaseDigest } from "../provenance/Chains.ts"
import type { OutcomeFacts } from "../provenance/Predicates.ts"
import { sayOutcome } from "../provenance/ReleaseStatements.ts"
import { afterRelease } from "../change/Changes.ts"
import type * as Commit from "../ledger/Commit.ts"
import { demand, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { pointerKey } from "../model/Entities.ts"
import * as Lifecycle from "../model/Lifecycle.ts"
import { Process } from "../work/Processes.ts"
import { makeUlid } from "../primitives/Ids.ts"
import * as Time from "../primitives/Time.ts"
import { isBoundTo, type ProbeResult, type Release } from "../model/Release.ts"
import { ReleaseLifecycle } from "../model/ReleaseLifecycle.ts"

const actor = system("release")

/** What was found out of a release. Its end is decided by this alone. */
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
  const production = yield* find("pointer", pointerKey(release.record.projectId, "production"))
  const pointer = production !== null && isBoundTo(release.record, production.record.incarnation) ? production : null
  // What answered the probes may have been the app that was deployed since.
  const outcome: Ended = ended._tag === "Probed" && pointer === null ? { _tag: "Removed" } : ended
  const draft = Draft.begin(release.record.projectId, actor, yield* Time.now)
  const evidence =
    "probes" in outcome
      ? releaseEvidence(release.record, outcome.probes, {
          id: `evd_${yield* makeUlid}`,
          checkId: releaseCheck(release.record),
          startedAt: release.record.updatedAt,
          now: draft.now
        })
      : null
  // A release that never began to build ends only when it is superseded or stuck.
  if (!Draft.may(draft, "release", release, triggerOf(outcome))) return none
  const chain = yield* chainOf(draft.projectId)
  const stated = yield* releaseDigest(draft.projectId, release.record.generation)
  const { reason, restored, succeeded, trigger } = end(draft, release, outcome, pointer)
  const probes = "probes" in outcome ? outcome.probes : null
  const back = restored === undefined ? {} : { restored }
  sayOutcome(draft, chain, release.record, { outcome: outcomeOf(outcome), release: stated, probes, ...back })
  if (evidence !== null) Draft.insert(draft, "evidence", evidence)
  afterRelease(draft, change, { ended: succeeded ? "released" : "releaseFailed", reason, releaseId })
  return {
    answer: undefined,
    commit: Draft.end(draft, { name: `Releases.${trigger}`, lease: (yield* Process).lease })
  }
})

type Row = Commit.Stored<Pointer> | null
type Passing = Extract<Ended, { readonly _tag: "Probed" | "TargetProbed" }>

const passed = ({ probes }: Passing): boolean => probes.every((probe) => probe.result === "pass")

/** The step that a release takes as it ends. */
const triggerOf = (ended: Ended) => {
  switch (ended._tag) {
    case "Superseded":
      return "newerPromoted"
    case "Removed":
    case "Failed":
    case "CapReached":
      return "buildFailed"
    case "Stuck":
      return "stuck"
    case "Probed":
    case "TargetProbed":
      return passed(ended) ? "probesPassed" : "probesFailed"
  }
}

/** What its statement calls it. */
const outcomeOf = (ended: Ended): OutcomeFacts["outcome"] => {
  switch (ended._tag) {
    case "Superseded":
      return "superseded"
    case "Removed":
      return "removed"
    case "Failed":
    case "CapReached":
    case "Stuck":
      return "failed"
    case "Probed":
    case "TargetProbed":
      return passed(ended) ? "deployed" : "smoke_failed"
  }
}

interface End {
  readonly trigger: ReturnType<typeof triggerOf>
  /** Whether its Change is completed; else it fails. */
  readonly succeeded: boolean
  readonly reason: string | null
  /** What is served again, null for nothing; undefined where the pointer did not go back. */
  readonly restored?: Served | null
}

/** What the pointer went back to, if it did. */
const wentBack = (back: Back | null): Pick<End, "restored"> => (back === null ? {} : { restored: back.previous })

/** What a release that ends writes of itself and of its pointer, and tells. */
const end = (draft: Draft.Draft, release: Commit.Stored<Release>, ended: Ended, pointer: Row): End => {
  const { generation, id: releaseId } = release.record
  switch (ended._tag) {
    case "Superseded": {
      const reason = "a newer generation was promoted"
      Draft.step(draft, "release", release, "newerPromoted", { reason })
      return { trigger: "newerPromoted", succeeded: true, reason }
    }
    case "Removed":
    case "Failed":
    case "CapReached": {
      const reason = ended._tag === "Removed" ? "the app was removed" : ended.reason
      const failed = { "deployment.failed": { releaseId, generation, reason } }
      Draft.step(draft, "release", release, "buildFailed", { reason }, failed)
      const met = ended._tag === "CapReached" ? "capReached" : "buildFailed"
      if (pointer !== null && ended._tag !== "Removed") notBuilt(draft, pointer, met, reason)
      return { trigger: "buildFailed", succeeded: false, reason }
    }
    case "Stuck": {
      const reason = "the release did not end within 45 minutes of its promotion"
      // Only a release that has moved the pointer takes it back.
      const back = backOf(release.record, release.record.bundleSource === null ? null : pointer)
      Draft.step(
        draft,
        "release",
        release,
        "stuck",
        { reason },
        { "deployment.completed": restored(release.record, back) }
      )
      takeBack(draft, back, reason)
      return { trigger: "stuck", succeeded: !ended.releasable, reason, ...wentBack(back) }
    }
    case "Probed":
    case "TargetProbed":
      return endProbed(draft, release, ended, ended._tag === "Probed" ? pointer : null)
  }
}

const endProbed = (draft: Draft.Draft, release: Commit.Stored<Release>, { probes, ...how }: Passing, app: Row): End => {
  const { generation, id: releaseId } = release.record
  const about = { releaseId, generation }
  if (passed({ probes, ...how })) {
    const deployed = app === null ? undefined : { ...about, status: "deployed" as const }
    Draft.step(
      draft,
      "release",
      release,
      "probesPassed",
      { reason: null, probes },
      { "deployment.completed": deployed }
    )
    if (app !== null && app.record.generation === generation)
      Draft.update(draft, "pointer", app, { lastGood: servedBy(app.record), updatedAt: draft.now })
    return { trigger: "probesPassed", succeeded: true, reason: null }
  }
  const reason = smokeReason(probes)
  const back = backOf(release.record, app)
  Draft.step(
    draft,
    "release",
    release,
    "probesFailed",
    { reason, probes },
    { "deployment.completed": restored(release.record, back), "release.smoke_failed": { ...about, probes } }
  )
  takeBack(draft, back, reason)
  return { trigger: "probesFailed", succeeded: false, reason, ...wentBack(back) }
}

/** Why a smoke test failed, in words. */
export const smokeReason = (probes: ReadonlyArray<ProbeResult>): string => {
  const failing = probes.filter((probe) => probe.result !== "pass")
  return `smoke test: ${failing.map((probe) => `${probe.path} ${probe.detail}, expected ${probe.expected}`).join("; ")}`
}

/** A pointer that a failed release has moved, and what it goes back to: null when nothing good was ever served. */
interface Back {
  readonly pointer: Commit.Stored<Pointer>
  readonly previous: Served | null
}

/** What is taken back; nothing when something newer has moved the pointer since. */
const backOf = (release: Release, pointer: Row): Back | null =>
  pointer === null || pointer.record.status === "removed" || pointer.record.generation !== release.generation
    ? null
    : { pointer, previous: restorable(pointer.record, release.generation) }

/** What is told of a version that is served again. */
const restored = ({ generation, id: releaseId }: Release, back: Back | null) =>
  back === null || back.previous === null
    ? undefined
    : { releaseId, generation, status: "restored" as const, restoredGeneration: back.previous.generation }

/** The pointer goes back to what was last found good; without it nothing is served. */
const takeBack = (draft: Draft.Draft, back: Back | null, reason: string): void => {
  if (back === null) return
  const { pointer, previous } = back
  if (previous !== null) Draft.step(draft, "pointer", pointer, "built", { ...previous, reason: null })
  else Draft.step(draft, "pointer", pointer, "withdrawn", { ...nothing, reason })
}

const nothing = { commit: null, generation: null, bundleKey: null, bundleDigest: null, provenance: null }

/** The id of the check that a release's own probes are (specification, "Evidence"). */
export const releaseCheck = (release: Release): string => `release-s${release.generation}`

/**
 * The evidence row of a release's probes: the worst of them counts. It never feeds a promotion gate: its subject is the
 * release.
 */
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
