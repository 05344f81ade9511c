/** The event log in memory. */
import { Effect } from "effect"
import { following } from "../ledger/Following.ts"
import type { MemoryState } from "../ledger/MemoryState.ts"
import { eventsOf, type Signals } from "../ledger/Signals.ts"
import { Limits } from "../primitives/Limits.ts"
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
  return {
    read,
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
