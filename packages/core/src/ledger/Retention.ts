/** Forgets what the ledger need not keep: old events, counters of days gone by. */
import { Context, Effect } from "effect"
import { Limits } from "../primitives/Limits.ts"
import { Settings } from "../primitives/Settings.ts"
import type { Timestamp } from "../primitives/Time.ts"
import type { LedgerUnavailable } from "./Ledger.ts"

/** How many rows were deleted. */
export interface Swept {
  /** Events of all Projects. */
  readonly events: number
  /** Days of counters. */
  readonly counters: number
}

/** What is deleted here is gone for good. */
export class Retention extends Context.Service<
  Retention,
  {
    /**
     * Deletes events older than `Limits.retentionDaysEvents` (`Limits.eventDaysDevelopment` where the environment is
     * development), and counters older than `Limits.counterDays`, by the program's clock. A
     * Project's sequence goes on from where it was. Nothing else goes: the history is kept for ever.
     */
    readonly sweep: Effect.Effect<Swept, LedgerUnavailable>
    /** Deletes the events of a Project that are older than `before`, and answers how many there were. Its sequence goes on. */
    readonly forget: (projectId: string, before: Timestamp) => Effect.Effect<number, LedgerUnavailable>
  }
>()("@pawl/core/ledger/Retention") {}

/** How long events are kept here, in days (specification, "Retention"). */
export const eventDays: Effect.Effect<number> = Effect.map(Settings, ({ environment }) =>
  environment === "production" ? Limits.retentionDaysEvents : Limits.eventDaysDevelopment
)
