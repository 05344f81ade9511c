/** A clock that somebody sets while programs go by it, as an operator does, or a store that moves to another machine. */
import { Clock, Effect } from "effect"

/** A clock, and how to set it. */
export interface SetClock {
  readonly clock: Clock.Clock
  /** From now on it tells a time that is so many ms later, or earlier, than before. Who sleeps, sleeps on. */
  readonly set: (byMs: number) => Effect.Effect<void>
}

/** The program's clock until it is set: then another time of the day, beside the same steady clock and the same sleep. */
export const make: Effect.Effect<SetClock> = Effect.map(Clock.Clock, (given) => {
  let offMs = 0
  const millis = () => given.currentTimeMillisUnsafe() + offMs
  const nanos = () => given.currentTimeNanosUnsafe() + BigInt(offMs) * 1_000_000n
  // Whatever else the given one can do stays, so that a test clock is still one.
  const clock: Clock.Clock = Object.assign(Object.create(given), {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos)
  })
  return { clock, set: (byMs: number) => Effect.sync(() => void (offMs += byMs)) }
})
