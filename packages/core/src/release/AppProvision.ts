/**
 * The body of `app.provision`: a generation is built and served. What it was asked for may be gone by then: an app that
 * was removed stays removed, and a newer generation stays live.
 */
import { Effect, Schema } from "effect"
import { system } from "../model/Actor.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { generationKey, pointerKey } from "../model/Entities.ts"
import * as Lifecycle from "../model/Lifecycle.ts"
import { Process, step as journalled } from "../work/Processes.ts"
import * as JournalStep from "../work/JournalStep.ts"
import { type ProjectId, releaseId } from "../primitives/Ids.ts"
import * as Time from "../primitives/Time.ts"
import type { Project } from "../model/Project.ts"
import { readFiles } from "../project/Source.ts"
import type { Generation } from "../model/Generation.ts"
import { knownDigest } from "../app/KeptBundle.ts"
import { type BundleSource, isBoundTo, type ProbeResult } from "../model/Release.ts"
import { chainOf, releaseDigest } from "../provenance/Chains.ts"
import { sayOutcome } from "../provenance/ReleaseStatements.ts"
import { authorize } from "./Authorization.ts"
import { ReleaseLifecycle } from "../model/ReleaseLifecycle.ts"
import { smokeTestTree } from "./Smoke.ts"
import { type BundleRef, builtAtOf, versionRow } from "../app/Apps.ts"
import { bundleOf, formatProblem, notVerifiedReason, usedUpReason } from "../bundle/Builds.ts"
import { prepare } from "../verification/BuildPreparation.ts"
import { restorable, Served, servedBy, whole } from "../model/Pointer.ts"
import { notBuilt, reopening } from "../app/PointerBuilds.ts"
import { PointerSignal } from "../app/PointerSignal.ts"
import { incarnationOf } from "../app/Removal.ts"

const production = "production"

/** What the app served when this began. */
export const servedBeforeStep = JournalStep.make("before", Schema.NullOr(Served))

/**
 * The body of `app.provision`: builds a generation and serves it, unless a newer one is served already. An app that was
 * removed since it was asked for is left removed.
 */
export const provision = Effect.fnUntraced(function* (projectId: string, generation: number, incarnation: number) {
  if ((yield* incarnationOf(projectId)) !== incarnation) return
  yield* decideAndCommit(reopening(projectId, incarnation))
  const project = (yield* demand("project", projectId)).record
  const step = (yield* demand("generation", generationKey(projectId, generation))).record
  const known = yield* knownDigest(step)
  const builtAt = yield* builtAtOf(step, project)
  const built = yield* bundleOf({
    kind: "apps",
    project: projectId,
    files: readFiles({ project: projectId }, step.tree),
    prepare: (files, expect) =>
      prepare(files, {
        expect,
        id: `${projectId}-s${generation}-build`,
        of: { projectId, changeId: projectId },
        running: { count: 0 },
        builtAtMs: Time.toMillis(builtAt)
      }),
    commit: step.commit,
    tree: step.tree,
    builtAt,
    ...(known === undefined ? {} : { expectedDigest: known })
  }).pipe(
    Effect.map((bundle) =>
      known === undefined || bundle.digest === known
        ? { _tag: "Built" as const, bundle }
        : {
            _tag: "Failed" as const,
            trigger: "buildFailed" as const,
            reason: notVerifiedReason(bundle.digest, known)
          }
    ),
    Effect.catchTags({
      BuildRefused: (refused) =>
        Effect.succeed({
          _tag: "Failed" as const,
          trigger: "buildFailed" as const,
          reason: refused.problems.map(formatProblem).join("\n")
        }),
      BuildCapReached: (cap) =>
        Effect.succeed({
          _tag: "Failed" as const,
          trigger: "capReached" as const,
          reason: usedUpReason(cap)
        })
    })
  )
  const before = yield* journalled(
    servedBeforeStep,
    Effect.map(demand("pointer", pointerKey(projectId, production)), ({ record }) => servedBy(record))
  )
  const how = { first: before === null, incarnation, before, builtAt }
  yield* decideAndCommit(served(project, step, built, how))
  yield* (yield* PointerSignal).moved(project.label)
  if (before === null || before.generation === generation || built._tag === "Failed") return
  // A live app changes hands: what it served comes back when the new version does not answer as it should.
  const probes = yield* smokeTestTree(projectId, step.tree, project.label)
  const at = { projectId: project.id, generation, incarnation }
  const passed = probes.every((probe) => probe.result === "pass")
  yield* decideAndCommit(passed ? recordingGood(at, step, probes) : servingBefore(at, step, probes, whole(before)))
  yield* (yield* PointerSignal).moved(project.label)
}, Effect.withSpan("Apps.provision"))

/**
 * After the last try of an `app.provision`: hosts say that there is no build and why, instead of `building` for ever. The
 * app's next deploy, or a retry of the dead letter, builds again.
 */
export const provisionDied = Effect.fnUntraced(function* (projectId: string, incarnation: number, problem: string) {
  yield* decideAndCommit(
    Effect.gen(function* () {
      const pointer = yield* find("pointer", pointerKey(projectId, production))
      if (pointer?.record.incarnation !== incarnation) return { answer: undefined }
      const draft = Draft.begin(projectId, system("Apps.provisionDied"), yield* Time.now)
      if (!notBuilt(draft, pointer, "buildFailed", `the app was not built: ${problem}`)) return { answer: undefined }
      const { lease } = yield* Process
      return { answer: undefined, commit: Draft.end(draft, { name: "Apps.provisionDied", lease }) }
    })
  )
  yield* (yield* PointerSignal).moved((yield* demand("project", projectId)).record.label)
})

/** What an `app.provision` served, and on which pointer. */
interface Deployed {
  readonly projectId: ProjectId
  readonly generation: number
  readonly incarnation: number
}

/** Whether a Release of this generation to this pointer is under way. Then its own probes say whether it is good. */
const hasOpenRelease = ({ projectId, generation, incarnation }: Deployed) =>
  Effect.map(
    find("release", releaseId(projectId, generation)),
    (release) =>
      release !== null &&
      !Lifecycle.isFinal(ReleaseLifecycle, release.record.status) &&
      isBoundTo(release.record, incarnation)
  )

/** What was deployed again answers as it should: a failed release goes back to it. */
const recordingGood = Effect.fnUntraced(function* (deployed: Deployed, step: Generation, probes: Probes) {
  const { projectId, generation, incarnation } = deployed
  const pointer = yield* demand("pointer", pointerKey(projectId, production))
  if (pointer.record.incarnation !== incarnation || pointer.record.generation !== generation)
    return { answer: undefined }
  if (yield* hasOpenRelease(deployed)) return { answer: undefined }
  const draft = Draft.begin(projectId, system("Apps.foundGood"), yield* Time.now)
  Draft.update(draft, "pointer", pointer, { lastGood: servedBy(pointer.record), updatedAt: draft.now })
  const release = yield* releaseDigest(projectId, generation)
  sayOutcome(draft, yield* chainOf(projectId), step, { outcome: "deployed", release, probes })
  return { answer: undefined, commit: Draft.end(draft, { name: "Apps.foundGood", lease: (yield* Process).lease }) }
})

/** What was deployed again does not answer as it should: what was good before is served again. */
const servingBefore = Effect.fnUntraced(function* (
  { projectId, generation, incarnation }: Deployed,
  step: Generation,
  probes: Probes,
  before: Served
) {
  const pointer = yield* demand("pointer", pointerKey(projectId, production))
  if (pointer.record.status === "removed" || pointer.record.incarnation !== incarnation) return { answer: undefined }
  if (pointer.record.generation !== generation) return { answer: undefined }
  const good = restorable(pointer.record, generation) ?? before
  const draft = Draft.begin(projectId, system("Apps.takenBack"), yield* Time.now)
  Draft.update(draft, "pointer", pointer, { ...good, updatedAt: draft.now })
  const release = yield* releaseDigest(projectId, generation)
  sayOutcome(draft, yield* chainOf(projectId), step, { outcome: "smoke_failed", release, restored: good, probes })
  return { answer: undefined, commit: Draft.end(draft, { name: "Apps.takenBack", lease: (yield* Process).lease }) }
})

type Probes = ReadonlyArray<ProbeResult>

type Outcome =
  | { readonly _tag: "Built"; readonly bundle: BundleRef & { readonly source: BundleSource } }
  | { readonly _tag: "Failed"; readonly trigger: "buildFailed" | "capReached"; readonly reason: string }

interface How {
  /** Whether nothing was served before. */
  readonly first: boolean
  readonly incarnation: number
  /** What was. */
  readonly before: Served | null
  readonly builtAt: Time.Timestamp
}

const served = Effect.fnUntraced(function* (
  project: Project,
  step: Generation,
  outcome: Outcome,
  { before, builtAt, first, incarnation }: How
) {
  const pointer = yield* demand("pointer", pointerKey(project.id, production))
  const now = yield* Time.now
  const lease = yield* Effect.map(Process, (process) => process.lease)
  const none = { answer: undefined }
  // Removed meanwhile, or a newer generation is live: what was built stays stored, the pointer stays where it is.
  if (pointer.record.status === "removed" || pointer.record.incarnation !== incarnation) return none
  if ((pointer.record.generation ?? -1) > step.generation) return none
  const draftAs = (name: string) => Draft.begin(project.id, system(name), now)
  if (outcome._tag === "Failed") {
    const draft = draftAs("Apps.failed")
    if (!notBuilt(draft, pointer, outcome.trigger, outcome.reason)) return none
    return { answer: undefined, commit: Draft.end(draft, { name: "Apps.failed", lease }) }
  }
  const { commit, generation } = step
  const { bundle } = outcome
  const other = before === null || before.generation === generation ? null : before
  const previous = restorable(pointer.record, generation) ?? other
  const { expects, provenance } = yield* authorize(pointer.record, { step, builtAt, bundle, previous })
  const live = { commit, generation, bundleKey: bundle.key, bundleDigest: bundle.digest, provenance, reason: null }
  // The first version has none before it to go back to, so nothing better is known.
  const good = first && !(yield* hasOpenRelease({ projectId: project.id, generation, incarnation }))
  const lastGood = servedBy({ ...pointer.record, ...live, status: "live" })
  const version = yield* versionRow(project, { commit, generation, bundle })
  const draft = draftAs("Apps.live")
  Draft.expect(draft, ...expects)
  Draft.step(draft, "pointer", pointer, "built", { ...live, ...(good ? { lastGood } : {}) })
  if (version !== null) Draft.add(draft, version)
  return { answer: undefined, commit: Draft.end(draft, { name: "Apps.live", lease }) }
})
