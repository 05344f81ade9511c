/** Forgets what the ledger need not keep: old events, keys of commits long past, counters of days gone by. */
import { Context, type Effect } from "effect"
import type { LedgerUnavailable } from "./Ledger.ts"

/** How many rows were deleted. */
export interface Swept {
  readonly events: number
  readonly keys: number
  readonly counters: number
}

export class Retention extends Context.Tag("@pawl/core/ledger/Retention")<
  Retention,
  {
    /**
     * Deletes events older than `Limits.retentionDaysEvents`, and commit keys and daily counters older than
     * `Limits.commitKeyDays`, by the program's clock. A Project's sequence goes on from where it was.
     */
    readonly sweep: Effect.Effect<Swept, LedgerUnavailable>
  }
>() {}
