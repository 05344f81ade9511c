/** The event log in memory. */
import { Chunk, Effect, Option, Stream } from "effect"
import { eventsOf, type Signals } from "../ledger/Signals.ts"
import type { MemoryState } from "../ledger/MemoryState.ts"
import { Limits } from "../primitives/Limits.ts"
import type { Event } from "./Event.ts"
import { type EventLog, EventsExpired } from "./EventLog.ts"

export const make = (state: MemoryState, signals: Signals): EventLog["Type"] => {
  const read: EventLog["Type"]["read"] = (projectId, after, limit) =>
    Effect.suspend(() => {
      const log = state.events.get(projectId)
      if (log === undefined) return Effect.succeed([])
      if (after + 1 < log.oldest) return Effect.fail(new EventsExpired({ after, oldest: log.oldest }))
      const start = after + 1 - log.oldest
      return Effect.succeed(log.events.slice(start, start + Math.min(limit, Limits.eventsPageSize)))
    })
  return { read, follow: (projectId, after) => following(read, signals, projectId, after, null) }
}

/**
 * Reads on whenever the Project's topic is notified, and every `pollMs` when other processes commit too.
 * It listens before it reads, so that nothing falls between.
 */
export const following = <E>(
  read: (projectId: string, after: number, limit: number) => Effect.Effect<ReadonlyArray<Event>, E>,
  signals: Signals,
  projectId: string,
  after: number,
  pollMs: number | null
): Stream.Stream<Event, E> => {
  const next = (last: number): Effect.Effect<readonly [Chunk.Chunk<Event>, Option.Option<number>], E> =>
    Effect.suspend(() => {
      const armed = signals.arm(eventsOf(projectId))
      const wait = pollMs === null ? armed.wait : Effect.timeoutOption(armed.wait, pollMs)
      return read(projectId, last, Limits.eventsPageSize).pipe(
        Effect.flatMap((events) => {
          const newest = events.at(-1)
          return newest === undefined
            ? Effect.as(wait, null)
            : Effect.succeed([Chunk.fromIterable(events), Option.some(newest.sequence)] as const)
        }),
        Effect.ensuring(Effect.sync(armed.disarm)),
        Effect.flatMap((page) => (page === null ? next(last) : Effect.succeed(page)))
      )
    })
  return Stream.paginateChunkEffect(after, next)
}
