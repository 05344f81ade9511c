/** The event log in memory. */
import { Effect } from "effect"
import { following } from "@pawl/core/ledger/SequenceStream"
import type { MemoryState } from "./MemoryState.ts"
import { eventsOf, type Signals } from "@pawl/core/ledger/Signals"
import { Limits } from "@pawl/core/primitives/Limits"
import { rowsOf } from "./MemoryState.ts"
import type { Consumer } from "@pawl/core/model/Consumer"
import { type EventLog, EventsExpired } from "@pawl/core/event/EventLog"
import { listening } from "@pawl/core/event/RoutingNotices"

/** `EventLog` over a store in memory. `signals` wake those who follow. */
export const make = (state: MemoryState, signals: Signals): EventLog["Service"] => {
  const read: EventLog["Service"]["read"] = (projectId, after, limit) =>
    Effect.suspend(() => {
      const log = state.events.get(projectId)
      if (log === undefined) return Effect.succeed([])
      if (after + 1 < log.oldest) return Effect.fail(new EventsExpired({ after, oldest: log.oldest }))
      const start = after + 1 - log.oldest
      return Effect.succeed(log.events.slice(start, start + Math.min(limit, Limits.eventsPageSize)))
    })
  return {
    read,
    listen: listening(signals),
    behind: Effect.sync(() =>
      Array.from(rowsOf(state, "consumer").values()).flatMap((row) => {
        const { group, projectId, sequence } = row.record as Consumer
        return sequence < (state.events.get(projectId)?.last ?? 0) ? [{ projectId, group }] : []
      })
    ),
    follow: (projectId, after) =>
      following(
        {
          read: (last) => read(projectId, last, Limits.eventsPageSize),
          signals,
          topic: eventsOf(projectId),
          pollMs: null
        },
        after
      )
  }
}
