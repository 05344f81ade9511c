/**
 * Who may use the one connection: first come, first served, and handed on directly, to fibers and to plain callbacks
 * alike. A fiber that is handed the turn goes on from its scheduler: were it resumed where the last turn ends, a crowd
 * that waits would end its turns one inside the other, and timers would wait for all of them.
 */
import type { Restore } from "@pawl/core/primitives/Restore"
import { Effect, type Exit } from "effect"

/** Turns at one thing, in the order in which they were asked for. */
export interface Turns {
  /** Calls back when the turn is the caller's: at once when it is free. Answers how to give up waiting. */
  readonly ask: (granted: () => void) => () => void
  /** Ends the turn. Whoever was granted one must. */
  readonly end: () => void
  /** Waits for the turn. To be run where nothing interrupts, so that a turn is never lost; waiting can be interrupted. */
  readonly begin: (restore: Restore) => Effect.Effect<void>
  /** Runs work that never pauses in its turn. */
  readonly run: <A, E>(work: () => Exit.Exit<A, E>) => Effect.Effect<A, E>
}

/** Turns that nobody has yet. Not for several threads. */
export const make = (): Turns => {
  let taken = false
  const waiting = new Set<() => void>()

  const ask = (granted: () => void): (() => void) => {
    if (taken) {
      waiting.add(granted)
      return () => void waiting.delete(granted)
    }
    taken = true
    granted()
    return () => {}
  }

  const end = () => {
    for (const next of waiting) {
      waiting.delete(next)
      return next()
    }
    taken = false
  }

  const begin: Turns["begin"] = (restore) =>
    Effect.withFiber((fiber) => {
      let ours = false
      let wake = () => {}
      const giveUp = ask(() => {
        ours = true
        wake()
      })
      if (ours) return Effect.void
      const wait = Effect.callback<void>((resume) => {
        wake = () => fiber.currentDispatcher.scheduleTask(() => resume(Effect.void), 0)
        if (ours) wake()
      })
      // Interrupted just as it was granted: hand it on.
      return Effect.onInterrupt(restore(wait), () => Effect.sync(() => (ours ? end() : giveUp())))
    })

  const run: Turns["run"] = (work) =>
    Effect.suspend(() =>
      taken
        ? Effect.uninterruptibleMask((restore) =>
            Effect.andThen(begin(restore), Effect.ensuring(Effect.suspend(work), Effect.sync(end)))
          )
        : work()
    )

  return { ask, end, begin, run }
}
