/** The durable log of a Project's events. Written by `Ledger.commit` in the same transaction as the state. */
import { Context, type Effect, Schema, type Scope, type Stream } from "effect"
import type { LedgerUnavailable } from "../ledger/Ledger.ts"
import type { Event } from "../model/Event.ts"

/** Events up to this sequence are gone by retention; start later. */
export class EventsExpired extends Schema.TaggedError<EventsExpired>()("EventsExpired", {
  /** What was asked for. */
  after: Schema.Finite,
  /** The sequence of the oldest event that is kept. */
  oldest: Schema.Finite
}) {
  override get message() {
    return `Events after ${this.after} are no longer all kept; the oldest has the sequence ${this.oldest}. Read the state, then go on from there.`
  }
}

/** What a router of events is told. It may be told too often; rarely, and then `behind` shows it, not at all. */
export type RoutingNotice =
  /** The Project has new events. */
  | { readonly _tag: "Events"; readonly projectId: string }
  /** A consumer group of the Project came or went. */
  | { readonly _tag: "Groups"; readonly projectId: string }
  /** Notices of other processes may have been lost. */
  | { readonly _tag: "Missed" }

/** A consumer group of a Project. */
export interface GroupName {
  readonly projectId: string
  readonly group: string
}

/** Events by Project. Those that retention took are `EventsExpired`, never skipped in silence. */
export class EventLog extends Context.Service<
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
    /** Calls `heard` for each notice, of every Project, from now until the scope ends. It asks the store nothing. */
    readonly listen: (heard: (notice: RoutingNotice) => void) => Effect.Effect<void, never, Scope.Scope>
    /** The groups that have not come to their Project's last event: one look, however many groups there are. */
    readonly behind: Effect.Effect<ReadonlyArray<GroupName>, LedgerUnavailable>
  }
>()("@pawl/core/event/EventLog") {}
