/** What many ask for and may be a little old: it is looked for at most once in a while, by the process's own steady clock. */
import { Effect, Semaphore } from "effect"
import { steadyMillis } from "./Time.ts"

/**
 * An effect that answers what `look` answered less than `ageMs` ago, or looks anew: once, however many ask meanwhile. A
 * failure is not remembered. How old an answer is does not hang on the time of the day, which a store may set.
 */
export const recent = <A, E, R>(look: Effect.Effect<A, E, R>, ageMs: number): Effect.Effect<Effect.Effect<A, E, R>> =>
  Effect.sync(() => {
    const one = Semaphore.makeUnsafe(1)
    let known: { readonly value: A; readonly atMs: number } | null = null
    const looked = Effect.gen(function* () {
      if (known !== null && (yield* steadyMillis) - known.atMs < ageMs) return known.value
      const value = yield* look
      known = { value, atMs: yield* steadyMillis }
      return value
    })
    return one.withPermits(1)(looked)
  })
