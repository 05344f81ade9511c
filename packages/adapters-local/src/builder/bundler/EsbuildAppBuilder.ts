/**
 * Builds apps with esbuild, each in a process of its own that serves this one build and is then discarded:
 * a source that crashes or hangs the bundler touches no other. A spare process, started ahead, hides its start.
 */
import { AppBuilder, BuilderUnavailable, type BuildJob } from "@pawl/core/bundle/AppBuilder"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Limits } from "@pawl/core/primitives/Limits"
import { LocalLimits } from "../../LocalLimits.ts"
import { Effect, Exit, Layer, type Scope, Semaphore } from "effect"
import { type ChildLimits, order } from "./BundlerChild.ts"
import { makeChildren } from "./BundlerChildren.ts"
import { Processes } from "../../spawner/Processes.ts"
import { layerManifestName } from "../../packages/LayerNames.ts"
import type { BundlerOrder } from "./BundlerMessages.ts"
import { foreseenOrder } from "./BundlerOrders.ts"
import { type Answered, inTime, type Late, runBuild } from "./BuildRun.ts"
import { type BuildWay, makeBuilder } from "./BuildTable.ts"
import { type Ask, makeExpectedBuilds } from "./ExpectedBuilds.ts"

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
const makeWay = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<BuildWay, never, Scope.Scope> {
  const slots = yield* Semaphore.make(LocalLimits.buildsAtOnce)
  const children = yield* makeChildren({ ...options, start: yield* Processes })
  const timeoutMs = options.timeoutMs ?? Limits.buildTimeoutMs
  const ask: Ask = (child, asked) => inTime(timeoutMs, order(child, asked))
  const expected = yield* makeExpectedBuilds({ children, slots, ask })

  const inProcess = (asked: BundlerOrder) =>
    Effect.acquireUseRelease(
      children.take,
      (child) =>
        // Where nothing can be bundled at all, it was no doing of the source.
        Effect.tap(ask(child, asked), ({ _tag }) => (_tag === "Died" && !child.isTried ? children.tried : Effect.void)),
      // Who has the answer need not wait for its end; who gives up does.
      (child, exit) => (Exit.isSuccess(exit) ? children.giveBackSoon(child) : children.giveBack(child))
    )

  const fresh: (asked: BundlerOrder) => Effect.Effect<Answered | Late, BuilderUnavailable> =
    options.bundling ?? inProcess

  const run = (job: BuildJob) =>
    runBuild(job, layerOf(options.packageLayers, job), (asked) =>
      Effect.flatMap(expected.finish(job.id, asked), (outcome) =>
        outcome === null ? fresh(asked) : Effect.succeed(outcome)
      )
    )

  const expect = (job: BuildJob): Effect.Effect<void> =>
    layerOf(options.packageLayers, job).pipe(
      Effect.flatMap((layer) => {
        const foreseen = foreseenOrder(job, layer)
        return foreseen === null ? Effect.void : expected.begin(job.id, foreseen)
      }),
      // The build itself will say so.
      Effect.catchTag("BuilderUnavailable", () => Effect.void)
    )

  return { run, expect, drop: expected.drop, slots }
})

/** Builds with esbuild on this machine. Closing it kills every process it started. */
export const layer = (options: Options = {}): Layer.Layer<AppBuilder> =>
  Layer.effect(AppBuilder, Effect.flatMap(makeWay(options), makeBuilder))
