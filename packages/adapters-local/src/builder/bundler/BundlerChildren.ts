/** Hands out the processes of builds: the spare when there is one. None serves two builds. */
import { Effect, type Scope } from "effect"
import { LocalLimits } from "../../LocalLimits.ts"
import type { BuilderUnavailable } from "@pawl/core/bundle/AppBuilder"
import type { Starter } from "../../spawner/Starter.ts"
import {
  type BundlerChild,
  childLimits,
  type ChildLimits,
  isAlive,
  isReady,
  startChild,
  stopChild
} from "./BundlerChild.ts"

/** How the processes are bounded. */
export interface ChildrenOptions {
  readonly limits?: ChildLimits
  /** Keeps one process ready after each build. Default true. */
  readonly spare?: boolean
  /** How they are started. Default: this process forks. */
  readonly start?: Starter
}

/** Processes of builds. All of them die with the scope that they were made in. */
export interface BundlerChildren {
  /** A process, which whoever takes it gives back. The spare has bundled something already; one that is started now has not. */
  readonly take: Effect.Effect<BundlerChild>
  /** Kills a process and waits until it is gone. A moment later there is a spare again. */
  readonly giveBack: (child: BundlerChild) => Effect.Effect<void>
  /** As `giveBack`, without waiting: it is killed at once, and gone soon. */
  readonly giveBackSoon: (child: BundlerChild) => Effect.Effect<void>
  /** Tries whether a process bundles anything here, and fails where none does. */
  readonly tried: Effect.Effect<void, BuilderUnavailable>
}

/** Nothing is started before the first `take`. */
export const makeChildren = Effect.fnUntraced(function* (
  options: ChildrenOptions
): Effect.fn.Return<BundlerChildren, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const limits = options.limits ?? childLimits
  let spare: BundlerChild | null = null
  let closed = false
  /** All that may still run, the spare too. */
  const running = new Set<BundlerChild>()
  const start = (isTried: boolean): BundlerChild => {
    const child = startChild(limits, { isTried, ...(options.start === undefined ? {} : { start: options.start }) })
    running.add(child)
    return child
  }
  const stop = (child: BundlerChild) =>
    Effect.andThen(
      stopChild(child),
      Effect.sync(() => running.delete(child))
    )
  const prepare = Effect.sync(() => {
    if (options.spare !== false && !closed && (spare === null || !isAlive(spare))) spare = start(true)
  })
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      closed = true
      return Effect.forEach([...running], stop, { concurrency: "unbounded", discard: true })
    })
  )
  const soon = (work: Effect.Effect<void>) => Effect.asVoid(Effect.forkIn(work, scope, { startImmediately: true }))
  // Starting one takes as much of the machine as a build: whoever waits for this one comes first.
  const giveBack = (child: BundlerChild) =>
    Effect.andThen(stop(child), soon(Effect.delay(prepare, LocalLimits.buildSpareAfterMs)))
  return {
    take: Effect.sync(() => {
      const child = spare !== null && isAlive(spare) ? spare : start(false)
      spare = null
      return child
    }),
    giveBack,
    giveBackSoon: (child) => soon(giveBack(child)),
    tried: Effect.acquireUseRelease(
      Effect.sync(() => start(true)),
      isReady,
      stop
    )
  }
})
