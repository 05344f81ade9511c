/** How much waits: commands in the queue and events before their consumers, over all Projects. */
import { Context, type Effect } from "effect"
import type { LedgerUnavailable } from "../ledger/Ledger.ts"

/** `ready`: may be claimed now. `waiting`: is due later. `leased`: a worker holds it. `dead`: waits for a person. */
export type CommandState = "ready" | "waiting" | "leased" | "dead"

/** How many commands of a kind are in a state. */
export interface QueueDepth {
  readonly kind: string
  readonly state: CommandState
  readonly count: number
}

/** Consumer groups that do the same. */
export interface ConsumerLag {
  /** What consumes: the part of a group's name before its colon, such as `webhook`. */
  readonly consumer: string
  readonly groups: number
  /** Events of its Project that the group furthest behind has not applied. */
  readonly events: number
}

/** What the gauges of waiting work are read from. */
export class Backlog extends Context.Service<
  Backlog,
  {
    /** Commands by kind and state. What there is none of is left out. A lease that has ended is `ready`. */
    readonly queue: Effect.Effect<ReadonlyArray<QueueDepth>, LedgerUnavailable>
    /** How far consumer groups are behind their Projects' newest events. */
    readonly lag: Effect.Effect<ReadonlyArray<ConsumerLag>, LedgerUnavailable>
  }
>()("@pawl/core/telemetry/Backlog") {}
