/** Counters of a day (UTC), such as `app-builds`: a budget is taken before the work begins. */
import { Context, type Effect } from "effect"
import type { LedgerUnavailable } from "../ledger/Ledger.ts"

/** Counted in the store, for all processes. What was taken is not given back. */
export class DailyCounter extends Context.Service<
  DailyCounter,
  {
    /** How much of a day is used; 0 for a name that was never counted. */
    readonly used: (name: string, day: string) => Effect.Effect<number, LedgerUnavailable>
    /** How much of a day is used under each name that begins with `prefix`. */
    readonly usedBy: (prefix: string, day: string) => Effect.Effect<ReadonlyMap<string, number>, LedgerUnavailable>
    /**
     * Counts one up and answers true, or answers false when `max` is reached. `day` is `YYYY-MM-DD`. The names of `also`
     * are counted up with it, whatever they count already: all of it in one write, or none.
     */
    readonly take: (
      name: string,
      day: string,
      max: number,
      also?: ReadonlyArray<string>
    ) => Effect.Effect<boolean, LedgerUnavailable>
    /**
     * Counts up by what was used, which is known only afterwards: a whole number above 0, in the name's own unit. What
     * is counted by the month stands under the month's first day. `also` as with `take`.
     */
    readonly add: (
      name: string,
      day: string,
      amount: number,
      also?: ReadonlyArray<string>
    ) => Effect.Effect<void, LedgerUnavailable>
  }
>()("@pawl/core/bundle/DailyCounter") {}
