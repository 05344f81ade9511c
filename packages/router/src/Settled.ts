/** What is in memory needs no fiber: an effect that has succeeded before anybody runs it is gone on with at once. */
import { Effect, Exit } from "effect"

/** Whether an effect has ended already: there is nothing to run. */
export const isSettled = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> => Exit.isExit(effect)

/** As `Effect.flatMap`. `next` runs now when the value is there now: what it throws is for the caller then. */
export const flatMap = <A, E, B, E2>(
  effect: Effect.Effect<A, E>,
  next: (value: A) => Effect.Effect<B, E2>
): Effect.Effect<B, E | E2> =>
  isSettled(effect) && Exit.isSuccess(effect) ? next(effect.value) : Effect.flatMap(effect, next)

/** As `Effect.map`, in the same way. */
export const map = <A, E, B>(effect: Effect.Effect<A, E>, change: (value: A) => B): Effect.Effect<B, E> =>
  isSettled(effect) && Exit.isSuccess(effect) ? Effect.succeed(change(effect.value)) : Effect.map(effect, change)
