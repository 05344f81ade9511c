/** The builds that a builder knows, by their id: one runs once, whoever asks, and its end is told to all of them. */
import type {
  AppBuilder,
  BuilderUnavailable,
  BuildHandle,
  BuildJob,
  BuildResult,
  BuildState
} from "@pawl/core/bundle/AppBuilder"
import { Deferred, Effect, Exit, type Scope, type Semaphore } from "effect"
import { LocalLimits } from "../../LocalLimits.ts"
import { assetsFolder } from "../settings/AppSettings.ts"
import { buildCommand } from "../settings/BuildCommand.ts"
import { vendoredPackages } from "../vendored/VendoredPackages.ts"
import { bundler } from "./Bundler.ts"

/** How a builder comes from a job to its end. */
export interface BuildWay {
  readonly run: (job: BuildJob) => Effect.Effect<BuildResult, BuilderUnavailable>
  /** As the port's `expect`, for a build that is not known yet. */
  readonly expect: (job: BuildJob) => Effect.Effect<void>
  /** Gives up what was begun for a build of this id. */
  readonly drop: (id: string) => Effect.Effect<void>
  /** The builds that may run at once. */
  readonly slots: Semaphore.Semaphore
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

/** A builder of this way to build. Builds end with the scope that it was made in. */
export const makeBuilder = Effect.fnUntraced(function* ({
  drop,
  expect,
  run,
  slots
}: BuildWay): Effect.fn.Return<typeof AppBuilder.Service, never, Scope.Scope> {
  const scope = yield* Effect.scope
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
      Effect.withSpan("AppBuilder.build")
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

  return {
    version: bundler,
    vendored: vendoredPackages,
    assetsFolder: ({ folders, settings }) => Effect.sync(() => assetsFolder(settings, folders)),
    commandOf: (files) => Effect.sync(() => buildCommand(files)),
    expect: (job) => Effect.suspend(() => (builds.has(job.id) ? Effect.void : expect(job))),
    start,
    poll,
    cancel
  }
})
