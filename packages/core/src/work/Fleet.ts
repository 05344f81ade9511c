/** The server processes that share a store: each is noted in it while it runs, so that any of them knows of the others. */
import { Context, type Effect } from "effect"
import type { LedgerUnavailable } from "../ledger/Ledger.ts"
import { Limits } from "../primitives/Limits.ts"
import { type Timestamp, toMillis } from "../primitives/Time.ts"

/** A server process, as it says of itself. */
export interface ServerProcess {
  /** Unique among all that ever ran: where it runs, and something by chance. Leases are held by it. */
  readonly id: string
  /** The version of the program. */
  readonly version: string
  /** What it does: `api`, `router`, `worker`. */
  readonly roles: ReadonlyArray<string>
  readonly startedAt: Timestamp
}

/** A process, and when it last said that it runs. */
export interface SeenProcess extends ServerProcess {
  readonly seenAt: Timestamp
}

/** Whether a process has said nothing for so long that it may be gone. `nowMs` is the store's time. */
export const isSilent = ({ seenAt }: SeenProcess, nowMs: number): boolean =>
  nowMs - toMillis(seenAt) > Limits.processSilentMs

/** Who is there. What it says of a process is as old as its last note: nothing that must be right hangs on it. */
export class Fleet extends Context.Service<
  Fleet,
  {
    /** The process is there now, whether it was noted before or forgotten meanwhile. Forgets who was not seen for `Limits.processForgottenMs`. */
    readonly note: (process: ServerProcess) => Effect.Effect<void, LedgerUnavailable>
    /** Forgets a process that ends. One that is not noted is nothing to forget. */
    readonly leave: (id: string) => Effect.Effect<void, LedgerUnavailable>
    /** Forgets all of them: whoever was there is known to be dead. */
    readonly leaveAll: Effect.Effect<void, LedgerUnavailable>
    /** All that are noted, in the order of their starts. */
    readonly all: Effect.Effect<ReadonlyArray<SeenProcess>, LedgerUnavailable>
  }
>()("@pawl/core/work/Fleet") {}
