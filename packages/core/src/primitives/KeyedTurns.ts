/** Work that one process does one after the other for each key, and side by side for different ones. */
import { Effect, Semaphore } from "effect"

/** Runs an effect when those of the same key that came before it are done. */
export type KeyedTurns = <A, E, R>(key: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Turns of their own. A key that nobody uses is forgotten. */
export const makeTurns = (): KeyedTurns => {
  const turns = new Map<string, { readonly turn: Semaphore.Semaphore; users: number }>()
  return (key, effect) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const held = turns.get(key) ?? { turn: Semaphore.makeUnsafe(1), users: 0 }
        held.users += 1
        turns.set(key, held)
        return held
      }),
      ({ turn }) => turn.withPermits(1)(effect),
      (held) =>
        Effect.sync(() => {
          held.users -= 1
          if (held.users === 0) turns.delete(key)
        })
    )
}
