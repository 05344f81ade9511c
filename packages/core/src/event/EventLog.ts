/** The durable log of a Project's events. Written by `Ledger.commit` in the same transaction as the state. */
import { Context, type Effect, Schema, type Stream } from "effect"
import type { LedgerUnavailable } from "../ledger/Ledger.ts"
import type { Event } from "./Event.ts"

/** Events up to this sequence are gone by retention; start later. */
export class EventsExpired extends Schema.TaggedError<EventsExpired>()("EventsExpired", {
  after: Schema.Number,
  oldest: Schema.Number
}) {}

export class EventLog extends Context.Tag("@pawl/core/event/EventLog")<
  EventLog,
  {
    /** At most `limit` (≤ 100) events with a higher sequence, in order. */
    readonly read: (
      projectId: string,
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Event>, EventsExpired | LedgerUnavailable>
    /** All events with a higher sequence, then each new one within a second of its commit. Never ends. */
    readonly follow: (projectId: string, after: number) => Stream.Stream<Event, EventsExpired | LedgerUnavailable>
  }
>() {}
