/** The steps that a durable process has finished. Steps are written by `Ledger.commit`; here they are read. */
import { Context, type Effect } from "effect"
import type { LedgerUnavailable } from "../ledger/Ledger.ts"

/** What a process that begins again reads first. */
export class Journal extends Context.Service<
  Journal,
  {
    /**
     * Results of the finished steps, by name, as JSON gives them back. Empty for a process that never ran. The journal
     * ends with its command: when that is finished or its dead letter dismissed. A dead letter keeps its journal.
     */
    readonly steps: (process: string) => Effect.Effect<ReadonlyMap<string, unknown>, LedgerUnavailable>
  }
>()("@pawl/core/work/Journal") {}
