/**
 * What a process does by itself, for ever, each in a loop of its own. One that ends, by a failure or a defect, is begun
 * again after a pause; the others go on meanwhile, and whoever asks is told which one is down.
 */
import { Effect, Exit } from "effect"
import { backoffMs } from "../work/Outages.ts"
import { Limits } from "../primitives/Limits.ts"
import { describeCause } from "../primitives/Words.ts"
import { steadyMillis } from "../primitives/Time.ts"

/** The loops of this process. */
export interface Loops {
  /** Runs a loop under its name until this is interrupted, whatever becomes of it. */
  readonly supervise: <E, R>(name: string, loop: Effect.Effect<unknown, E, R>) => Effect.Effect<never, never, R>
  /** The names of loops that have ended and were not begun again yet. */
  readonly down: Effect.Effect<ReadonlyArray<string>>
}

/** No loop runs yet. */
export const make: Effect.Effect<Loops> = Effect.sync(() => {
  const down = new Set<string>()

  const supervise: Loops["supervise"] = (name, loop) =>
    Effect.gen(function* () {
      for (let falls = 1; ; falls++) {
        const beganMs = yield* steadyMillis
        const exit = yield* Effect.exit(loop)
        down.add(name)
        // One that went well for long has earned a quick beginning.
        if ((yield* steadyMillis) - beganMs > Limits.commandBackoffMaxMs) falls = 1
        const pauseMs = backoffMs(falls)
        yield* Effect.logError(`the loop ${name} ended`, Exit.isFailure(exit) ? describeCause(exit.cause) : "").pipe(
          Effect.annotateLogs({ pauseMs })
        )
        yield* Effect.sleep(pauseMs)
        down.delete(name)
      }
    })

  return { supervise, down: Effect.sync(() => Array.from(down).toSorted()) }
})
