/**
 * Builds that are expected while their build command runs: a process begins on the order that is foreseen, and holds
 * what it made until the order comes. Few at a time, and none when all builds that may run at once do.
 */
import { Effect, Exit, type Scope, type Semaphore } from "effect"
import { LocalLimits } from "../../LocalLimits.ts"
import type { BuilderUnavailable } from "@pawl/core/bundle/AppBuilder"
import { begin, type BundlerChild, isAlive } from "./BundlerChild.ts"
import type { Answered, Late } from "./BuildRun.ts"
import type { BundlerChildren } from "./BundlerChildren.ts"
import type { BundlerOrder } from "./BundlerMessages.ts"

/** Gives a process an order, bounded in time. */
export type Ask = (child: BundlerChild, order: BundlerOrder) => Effect.Effect<Answered | Late, BuilderUnavailable>

/** What is expected, by the id of the build. */
export interface ExpectedBuilds {
  /** Begins, unless it was begun or may not be. Answers at once. */
  readonly begin: (id: string, order: BundlerOrder) => Effect.Effect<void>
  /** What the process that has begun makes of the order; null when there is none, or it is of no use for this order. */
  readonly finish: (id: string, order: BundlerOrder) => Effect.Effect<Answered | Late | null>
  /** Gives up what was begun, and waits until nothing of it runs. */
  readonly drop: (id: string) => Effect.Effect<void>
}

/** What expected builds need of the builder. */
interface Options {
  readonly children: BundlerChildren
  /** The builds that may run at once. */
  readonly slots: Semaphore.Semaphore
  readonly ask: Ask
}

/** Nothing is expected yet. */
export const makeExpectedBuilds = Effect.fnUntraced(function* ({
  ask,
  children,
  slots
}: Options): Effect.fn.Return<ExpectedBuilds, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const begun = new Map<string, BundlerChild>()

  const taken = (id: string) =>
    Effect.sync(() => {
      const child = begun.get(id) ?? null
      begun.delete(id)
      return child
    })

  /** A process that takes long for its beginning is killed: whoever asks it then finds it dead. */
  const beginning = (child: BundlerChild, order: BundlerOrder) =>
    slots
      .withPermitsIfAvailable(1)(begin(child, order))
      .pipe(
        Effect.timeoutOrElse({ duration: LocalLimits.buildBeginningMs, orElse: () => children.giveBack(child) }),
        Effect.ignore({ log: "Debug" })
      )

  return {
    begin: (id, order) =>
      Effect.gen(function* () {
        if (begun.has(id) || begun.size >= LocalLimits.buildsBegunEarly) return
        const child = yield* children.take
        begun.set(id, child)
        yield* Effect.forkIn(beginning(child, order), scope, { startImmediately: true })
      }).pipe(Effect.uninterruptible),

    finish: (id, order) =>
      Effect.acquireUseRelease(
        taken(id),
        (child) =>
          child === null || !isAlive(child)
            ? Effect.succeed(null)
            : ask(child, order).pipe(
                // It has all that a fresh one has, and is here already.
                Effect.flatMap((answer) => (answer._tag === "Stale" ? ask(child, order) : Effect.succeed(answer))),
                // What it died of, a fresh one tells by dying of it too.
                Effect.map((answer) => (answer._tag === "Died" ? null : answer)),
                Effect.catchTag("BuilderUnavailable", () => Effect.succeed(null))
              ),
        (child, exit) => {
          if (child === null) return Effect.void
          return Exit.isSuccess(exit) ? children.giveBackSoon(child) : children.giveBack(child)
        }
      ),

    drop: (id) => Effect.flatMap(taken(id), (child) => (child === null ? Effect.void : children.giveBack(child)))
  }
})
