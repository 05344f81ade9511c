/** Reads a sequence of a Project to its end and then on, as more of it is written. */
import { Effect, Option, Stream } from "effect"
import type { Signals } from "./Signals.ts"

/** A sequence that can be followed: how it is read, and what tells that there is more of it. */
export interface Followed<A, E> {
  /** The next items with a higher sequence, in order; none when there are none yet. */
  readonly read: (after: number) => Effect.Effect<ReadonlyArray<A>, E>
  readonly signals: Signals
  /** Notified whenever this process writes to the sequence. */
  readonly topic: string
  /** How often to look without being notified, because other processes write too; null when none does. */
  readonly pollMs: number | null
}

/** All items with a higher sequence, then each new one. It listens before it reads, so that nothing falls between. */
export const following = <A extends { readonly sequence: number }, E>(
  { pollMs, read, signals, topic }: Followed<A, E>,
  after: number
): Stream.Stream<A, E> => {
  const next = (last: number): Effect.Effect<readonly [ReadonlyArray<A>, Option.Option<number>], E> =>
    Effect.suspend(() => {
      const armed = signals.arm(topic)
      const wait = pollMs === null ? armed.wait : Effect.timeoutOption(armed.wait, pollMs)
      return read(last).pipe(
        Effect.flatMap((items) => {
          const newest = items.at(-1)
          return newest === undefined
            ? Effect.as(wait, null)
            : Effect.succeed([items, Option.some(newest.sequence)] as const)
        }),
        Effect.ensuring(Effect.sync(armed.disarm)),
        Effect.flatMap((page) => (page === null ? next(last) : Effect.succeed(page)))
      )
    })
  return Stream.paginate(after, next)
}
