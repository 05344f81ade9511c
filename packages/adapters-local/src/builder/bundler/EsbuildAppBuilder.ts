/**
 * Builds apps with esbuild, each in a process of its own that serves this one build and is then discarded:
 * a source that crashes or hangs the bundler touches no other. A spare process, started ahead, hides its start.
 */
import {
  AppBuilder,
  BuilderUnavailable,
  type BuildHandle,
  type BuildJob,
  type BuildResult,
  type BuildState
} from "@pawl/core/bundle/AppBuilder"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Limits } from "@pawl/core/primitives/Limits"
import { LocalLimits } from "../../LocalLimits.ts"
import { Deferred, Effect, Exit, Layer, Semaphore } from "effect"
import { assetsFolder } from "../settings/AppSettings.ts"
import { buildCommand } from "../settings/BuildCommand.ts"
import { assemble } from "./BundleAssembly.ts"
import { type Answered, bundler, type ChildLimits, order } from "./BundlerChild.ts"
import { makeChildren } from "./BundlerChildren.ts"
import { layerManifestName } from "../../packages/LayerNames.ts"
import type { BundlerOrder } from "./BundlerMessages.ts"
import { needsProcess, foreseenOrder, readJob } from "./BundlerOrders.ts"
import { type Ask, type Late, makeExpectedBuilds } from "./ExpectedBuilds.ts"
import { vendoredPackages } from "../vendored/VendoredPackages.ts"
import { versionWarnings } from "../vendored/VendoredVersions.ts"

/** How a build is bounded. What is left out is as `LocalLimits` has it. */
export interface Options {
  /** The folder of the layers of packages: a job's layer is `<packageLayers>/<id>`. Without it no job may have packages. */
  readonly packageLayers?: string
  /** Wall time of one build, in milliseconds. */
  readonly timeoutMs?: number
  readonly limits?: ChildLimits
  /** Keeps one process ready after each build. Default true. */
  readonly spare?: boolean
  /** Another way to have an order done, for sources that are trusted. Default: a process for each. */
  readonly bundling?: (order: BundlerOrder) => Effect.Effect<Answered, BuilderUnavailable>
}

interface Build {
  readonly result: Deferred.Deferred<BuildResult, BuilderUnavailable>
  /** Done when nothing of the build runs any more. */
  readonly ended: Deferred.Deferred<void>
  state: "running" | "finished" | "unavailable"
}

const unknownBuild: BuildResult = {
  _tag: "Crashed",
  reason: "This build was cancelled, or this builder does not know it: start it again."
}

/** The folder of a job's packages. It may have been trimmed away: who asks again has it made again. */
const layerOf = (
  folder: string | undefined,
  { packages }: BuildJob
): Effect.Effect<string | null, BuilderUnavailable> =>
  Effect.suspend(() => {
    if (packages === undefined) return Effect.succeed(null)
    const place = folder === undefined ? null : join(folder, packages.id)
    return place === null || !/^[0-9a-z-]+$/i.test(packages.id) || !existsSync(join(place, layerManifestName))
      ? Effect.fail(new BuilderUnavailable({ reason: "the packages of the lock file are not on this machine now" }))
      : Effect.succeed(place)
  })

/** One build from a job to its result, and what can be done before. */
const makeRun = Effect.fnUntraced(function* (options: Options, slots: Semaphore.Semaphore) {
  const children = yield* makeChildren(options)
  const timeoutMs = options.timeoutMs ?? Limits.buildTimeoutMs
  const late: Late = { _tag: "Late", reason: `The build took longer than ${timeoutMs} ms and was stopped.` }
  const ask: Ask = (child, asked) =>
    order(child, asked).pipe(Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.succeed(late) }))
  const expected = yield* makeExpectedBuilds({ children, slots, ask })

  const inProcess = (asked: BundlerOrder) =>
    Effect.acquireUseRelease(
      children.take,
      (child) => ask(child, asked),
      // Who has the answer need not wait for its end; who gives up does.
      (child, exit) => (Exit.isSuccess(exit) ? children.giveBackSoon(child) : children.giveBack(child))
    )

  const fresh: (asked: BundlerOrder) => Effect.Effect<Answered | Late, BuilderUnavailable> =
    options.bundling ?? inProcess

  const answered = (id: string, asked: BundlerOrder) =>
    Effect.flatMap(expected.finish(id, asked), (outcome) => (outcome === null ? fresh(asked) : Effect.succeed(outcome)))

  const run = Effect.fnUntraced(function* (job: BuildJob): Effect.fn.Return<BuildResult, BuilderUnavailable> {
    const read = readJob(job, null)
    if ("problems" in read) return { _tag: "Refused", problems: read.problems }
    const { settings, split } = read
    const layer = yield* layerOf(options.packageLayers, job)
    const noted = [...settings.warnings, ...split.warnings, ...(layer === null ? versionWarnings(split.source) : [])]
    if (!needsProcess(read.order))
      return yield* assemble({ job, settings, split, main: null, parts: [], packages: [], warnings: noted })
    const answer = yield* answered(job.id, { ...read.order, layer })
    if (answer._tag === "Refused") return answer
    if (answer._tag === "Stale") return { _tag: "Crashed", reason: "The bundler has nothing of what was asked for." }
    if (answer._tag !== "Bundled") return { _tag: "Crashed", reason: answer.reason }
    const { main, modules, packages } = answer
    const said = [...noted, ...answer.warnings]
    return yield* assemble({ job, settings, split, main, parts: modules, packages, warnings: said })
  })

  const expect = (job: BuildJob): Effect.Effect<void> =>
    layerOf(options.packageLayers, job).pipe(
      Effect.flatMap((layer) => {
        const foreseen = foreseenOrder(job, layer)
        return foreseen === null ? Effect.void : expected.begin(job.id, foreseen)
      }),
      // The build itself will say so.
      Effect.catchTag("BuilderUnavailable", () => Effect.void)
    )

  return { run, expect, drop: expected.drop }
})

const make = Effect.fnUntraced(function* (options: Options) {
  const scope = yield* Effect.scope
  const slots = yield* Semaphore.make(LocalLimits.buildsAtOnce)
  const { drop, expect, run } = yield* makeRun(options, slots)
  const builds = new Map<string, Build>()

  /** Finished builds that no one cancelled go, oldest first. */
  const forgetOldest = () => {
    const done = [...builds].filter(([, build]) => build.state !== "running")
    for (const [id] of done.slice(0, Math.max(0, done.length - LocalLimits.buildResultsKept))) builds.delete(id)
  }

  /** Ends with the build, or at once when someone else (a cancel) settles the result first. */
  const work = (job: BuildJob, build: Build) =>
    Effect.raceFirst(slots.withPermits(1)(run(job)), Deferred.await(build.result)).pipe(
      Effect.onExit((exit) =>
        Effect.sync(() => {
          build.state = Exit.isSuccess(exit) ? "finished" : "unavailable"
          forgetOldest()
        })
      ),
      Deferred.into(build.result),
      Effect.ensuring(drop(job.id)),
      Effect.ensuring(Deferred.succeed(build.ended, undefined)),
      Effect.withSpan("EsbuildAppBuilder.build")
    )

  const start = Effect.fnUntraced(function* (job: BuildJob): Effect.fn.Return<BuildHandle> {
    const result = yield* Deferred.make<BuildResult, BuilderUnavailable>()
    const ended = yield* Deferred.make<void>()
    const build: Build = { result, ended, state: "running" }
    const isNew = yield* Effect.sync(() => {
      const known = builds.get(job.id)
      if (known !== undefined && known.state !== "unavailable") return false
      builds.set(job.id, build)
      return true
    })
    // At once: a fiber that is stopped before its first step would settle neither `result` nor `ended`.
    if (isNew) yield* Effect.forkIn(work(job, build), scope, { startImmediately: true })
    return { id: job.id }
  }, Effect.uninterruptible)

  const poll = (handle: BuildHandle, waitMs: number): Effect.Effect<BuildState, BuilderUnavailable> =>
    Effect.suspend(() => {
      const build = builds.get(handle.id)
      if (build === undefined) return Effect.succeed<BuildState>({ _tag: "Finished", result: unknownBuild })
      return Deferred.await(build.result).pipe(
        Effect.map((result): BuildState => ({ _tag: "Finished", result })),
        Effect.timeoutOrElse({
          duration: Math.max(0, waitMs),
          orElse: () => Effect.succeed<BuildState>({ _tag: "Running" })
        })
      )
    })

  const cancel = Effect.fnUntraced(function* (handle: BuildHandle): Effect.fn.Return<void> {
    const build = builds.get(handle.id)
    if (build === undefined) return yield* drop(handle.id)
    builds.delete(handle.id)
    yield* Deferred.succeed(build.result, unknownBuild)
    yield* Deferred.await(build.ended)
  })

  return AppBuilder.of({
    version: bundler,
    vendored: vendoredPackages,
    assetsFolder: ({ folders, settings }) => Effect.sync(() => assetsFolder(settings, folders)),
    commandOf: (files) => Effect.sync(() => buildCommand(files)),
    expect: (job) => Effect.suspend(() => (builds.has(job.id) ? Effect.void : expect(job))),
    start,
    poll,
    cancel
  })
})

/** Builds with esbuild on this machine. Closing it kills every process it started. */
export const layer = (options: Options = {}): Layer.Layer<AppBuilder> => Layer.effect(AppBuilder, make(options))
