/**
 * Who may use the one connection: first come, first served, and handed on directly. A plain semaphore lets a fiber
 * that gives the connection back take it again before those who wait; a loop of transactions then starves them all.
 */
import { Effect } from "effect"

export interface Turns {
  /** Calls back when the turn is the caller's: at once when it is free. Answers how to give up waiting. */
  readonly ask: (granted: () => void) => () => void
  /** Ends the turn. Whoever was granted one must. */
  readonly end: () => void
  /** Waits for the turn. */
  readonly begin: Effect.Effect<void>
  /** Runs work that never pauses in its turn. */
  readonly run: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

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

  const begin = Effect.callback<void>((resume) => {
    let ours = false
    const giveUp = ask(() => {
      ours = true
      resume(Effect.void)
    })
    // Interrupted just as it was granted: hand it on.
    return Effect.sync(() => (ours ? end() : giveUp()))
  })

  const run = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() =>
      taken
        ? Effect.uninterruptibleMask((restore) =>
            Effect.andThen(restore(begin), Effect.ensuring(work, Effect.sync(end)))
          )
        : work
    )

  return { ask, end, begin, run }
}
