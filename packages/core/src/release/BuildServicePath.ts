/**
 * The path of a release target (specification, "Legacy build-service path"): its build service builds canonical `main`
 * by itself, from where it is pushed to; here its builds are polled, its deployment is confirmed, and its URL is probed.
 * It begins when `main` is at the promoted commit, and its 15 minutes count from then. Between polls the command sleeps
 * in the store, so that no worker is held. Before each poll `Releases` has confirmed that the generation is still
 * canonical.
 */
import { Effect, Schema } from "effect"
import { system } from "../model/Actor.ts"
import type { EventType } from "../model/Event.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand } from "../ledger/Decision.ts"
import { commitStep, journalled, step, Waiting } from "../work/Processes.ts"
import * as JournalStep from "../work/JournalStep.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { BuildService, type BuildServiceFault, type ServiceBuild } from "./BuildService.ts"
import { CanonicalRemote } from "./CanonicalRemote.ts"
import { ending } from "./ReleaseEnd.ts"
import type { Release } from "../model/Release.ts"
import type { ReleaseTarget } from "../model/ReleaseTarget.ts"
import { smokeTest } from "./Smoke.ts"

const actor = system("release")

/** Takes a release from the push of `main` to its end. Fails with `Waiting` while it must be looked at again later. */
export const runAtTarget = Effect.fnUntraced(function* (release: Release, target: ReleaseTarget) {
  const main = yield* pushMain(release, target)
  if (main._tag === "Refused") return yield* fail(release, main.reason)
  const build = yield* awaitBuild(release, target)
  if (build._tag === "Failed") return yield* fail(release, build.reason)
  const deployed = yield* awaitDeployment(release, target, build.id)
  if (deployed._tag === "Failed") return yield* fail(release, deployed.reason)
  const probes = yield* smokeTest(release, { _tag: "Target", url: target.url })
  yield* decideAndCommit(ending(release.id, { _tag: "TargetProbed", probes }))
})

/** Canonical `main` is where the build service looks, or cannot be brought there. */
export const pushedStep = JournalStep.make(
  "pushed",
  Schema.Union([Schema.TaggedStruct("Pushed", {}), Schema.TaggedStruct("Refused", { reason: Schema.String })])
)

/** Pushes canonical `main` where the build service looks, once. A remote that is away fails it, to be tried again. */
const pushMain = ({ commit, projectId: project }: Release, { remote }: ReleaseTarget) =>
  remote === undefined
    ? Effect.succeed({ _tag: "Pushed" as const })
    : step(
        pushedStep,
        Effect.flatMap(CanonicalRemote, (canonical) => canonical.push({ project, remote, commit })).pipe(
          Effect.as({ _tag: "Pushed" as const }),
          Effect.catchTags({
            RemoteDiverged: ({ message }) => Effect.succeed({ _tag: "Refused" as const, reason: message }),
            RemoteRefused: ({ message }) => Effect.succeed({ _tag: "Refused" as const, reason: message })
          })
        )
      )

const fail = (release: Release, reason: string) => decideAndCommit(ending(release.id, { _tag: "Failed", reason }))

/** What one look showed. `Pending` is looked at again; a fault in it is what the wait may end with. */
type Look<A> =
  | { readonly _tag: "There"; readonly found: A }
  | { readonly _tag: "Never"; readonly reason: string }
  | { readonly _tag: "Pending"; readonly reason: string; readonly notBeforeMs: number }

const pending = (reason: string, notBeforeMs = 0) => ({ _tag: "Pending" as const, reason, notBeforeMs })

/** Faults that asking again cannot mend end the wait; the others are waited out. */
const faultLook = (fault: BuildServiceFault): Look<never> => {
  switch (fault._tag) {
    case "BuildServiceMissing":
    case "BuildServiceUnauthorized":
      return { _tag: "Never", reason: fault.message }
    case "BuildServiceLimited":
      return pending(fault.message, Math.min(fault.retryAfterMs ?? 0, Limits.buildServiceRetryMaxMs))
    case "BuildServiceUnavailable":
      return pending(fault.message)
  }
}

/** When builds are asked for, in milliseconds since the first wait: after 15 s, 30 s more, then every 60 s, to 15 minutes. */
export const buildPollTimes: ReadonlyArray<number> = (() => {
  const times = [Limits.buildPollFirstMs, Limits.buildPollFirstMs + Limits.buildPollSecondMs]
  while (times.at(-1)! + Limits.buildPollMs < Limits.buildPollForMs) times.push(times.at(-1)! + Limits.buildPollMs)
  return [...times, Limits.buildPollForMs]
})()

/** When the deployment is looked at, ms since the wait for it began. */
export const confirmTimes: ReadonlyArray<number> = Array.from(
  { length: Limits.deploymentConfirmForMs / Limits.deploymentConfirmMs + 1 },
  (_, index) => index * Limits.deploymentConfirmMs
)

/**
 * Looks at each of the given times until there is an answer. Between two looks the process ends as `Waiting`, and its
 * command is due again at the next time; the beginning stands in the journal.
 */
const lookAt = Effect.fnUntraced(function* <A, R>(
  begun: JournalStep.JournalStep<number>,
  times: ReadonlyArray<number>,
  look: Effect.Effect<Look<A>, never, R>
) {
  const since = yield* step(begun, Time.nowMillis)
  const elapsed = (yield* Time.nowMillis) - since
  const first = times[0] ?? 0
  if (elapsed < first) return yield* Effect.fail(new Waiting(begun.name, first - elapsed))
  const looked = yield* look
  if (looked._tag !== "Pending") return looked
  const next = times.find((time) => time > elapsed)
  if (next === undefined) return { _tag: "Never" as const, reason: looked.reason }
  const last = times.at(-1)!
  const wait = Math.min(Math.max(next - elapsed, looked.notBeforeMs), last - elapsed)
  return yield* Effect.fail(new Waiting(looked.reason, wait))
})

const Awaited = Schema.Union([
  Schema.TaggedStruct("Done", { id: Schema.String }),
  Schema.TaggedStruct("Failed", { reason: Schema.String })
])
type Awaited = typeof Awaited.Type

/** When the wait for a build began, ms since 1970. */
export const buildSinceStep = JournalStep.make("build:since", Schema.Finite)
/** What came of the wait for a build: its id, or why the release fails. */
export const builtStep = JournalStep.make("built", Awaited)
/** When the wait for the deployment began, ms since 1970. */
export const deploymentSinceStep = JournalStep.make("deployment:since", Schema.Finite)
/** What came of the wait for the deployment: its id, or why the release fails. */
export const confirmedStep = JournalStep.make("confirmed", Awaited)

/** Waits for the build of the promoted commit, and tells of it. */
const awaitBuild = Effect.fnUntraced(function* (release: Release, target: ReleaseTarget) {
  const before = yield* journalled(builtStep)
  if (before !== undefined) return before
  const looked = yield* lookAt(buildSinceStep, buildPollTimes, lookForBuild(release, target))
  if (looked._tag === "Never") return { _tag: "Failed", reason: looked.reason } as Awaited
  const { id, outcome } = looked.found
  const result: Awaited =
    outcome === "success" ? { _tag: "Done", id } : { _tag: "Failed", reason: `build ${id} ended with ${outcome}` }
  return yield* tell(release, builtStep, "build.completed", { buildId: id, outcome }, result)
})

const lookForBuild = Effect.fnUntraced(
  function* (release: Release, target: ReleaseTarget) {
    const service = yield* BuildService
    const builds = yield* service.builds(target, release.commit)
    // Only a build of the promoted commit counts, whatever the service answers.
    const build = builds.find((each) => each.commit === release.commit)
    if (build?.status === "finished") return { _tag: "There", found: build } as Look<ServiceBuild>
    if (build !== undefined) return pending(`build ${build.id} did not finish within 15 minutes`)
    if (yield* service.hasTrigger(target)) return pending(`no build of ${release.commit} within 15 minutes`)
    return { _tag: "Never", reason: `connection missing: nothing builds ${target.workerName}` } as Look<ServiceBuild>
  },
  Effect.catch((fault) => Effect.succeed<Look<ServiceBuild>>(faultLook(fault)))
)

/** Waits until the newest deployment is of that build, and tells of it with its version. */
const awaitDeployment = Effect.fnUntraced(function* (release: Release, target: ReleaseTarget, buildId: string) {
  const before = yield* journalled(confirmedStep)
  if (before !== undefined) return before
  const looked = yield* lookAt(deploymentSinceStep, confirmTimes, lookForDeployment(target, buildId))
  if (looked._tag === "Never") return { _tag: "Failed", reason: looked.reason } as Awaited
  const versionId = looked.found
  const result: Awaited = { _tag: "Done", id: versionId }
  return yield* tell(release, confirmedStep, "deployment.completed", { status: "deployed", versionId, buildId }, result)
})

const lookForDeployment = Effect.fnUntraced(
  function* (target: ReleaseTarget, buildId: string) {
    const newest = yield* (yield* BuildService).newestDeployment(target)
    return newest?.buildId === buildId
      ? ({ _tag: "There", found: newest.versionId } as Look<string>)
      : pending(`deployment unconfirmed: the newest deployment is not of build ${buildId}`)
  },
  Effect.catch((fault) => Effect.succeed<Look<string>>(faultLook(fault)))
)

/** Ends a step with its event, once, and only while the release is building. */
const tell = Effect.fnUntraced(
  function* (
    release: Release,
    ended: JournalStep.JournalStep<Awaited>,
    type: EventType,
    data: Readonly<Record<string, unknown>>,
    result: Awaited
  ) {
    const stored = yield* demand("release", release.id)
    const now = yield* Time.now
    // Ended meanwhile: run again, and see.
    if (stored.record.status !== "building") return yield* Effect.fail(new Waiting("the release has ended", 0))
    const about = { releaseId: release.id, generation: release.generation }
    return yield* commitStep(
      ended,
      {
        name: `BuildServicePath.${ended.name}`,
        projectId: release.projectId,
        writes: [Commit.update("release", stored, { updatedAt: now })],
        events: [{ type, subject: release.id, data: { ...about, ...data }, actor }]
      },
      result
    )
  },
  Effect.catchTag("Conflict", () => Effect.fail(new Waiting("the release moved on", 0)))
)
