/** The server processes that share a store: each is noted in it while it runs, so that any of them knows of the others. */
import { Context, type Effect, Schema } from "effect"
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

/** The store lost what this version of the program needs: a newer one has been at work on it, and none older was seen. */
export class Outgrown extends Schema.TaggedError<Outgrown>()("Outgrown", {
  /** The last contraction of the store's shape, and the last that this program knows. */
  contraction: Schema.Finite,
  known: Schema.Finite
}) {
  override get message() {
    return `A newer version of Pawl has taken away what this one needs of the database (contraction ${this.contraction}; this program knows ${this.known}): run that version, or a newer one`
  }
}

/** What became of what waits for the end of older versions, in words. */
export interface Contracted {
  /** What is gone or mended now. */
  readonly done: ReadonlyArray<string>
  /** What waits still, */
  readonly waiting: ReadonlyArray<string>
  /** and the ids of the processes that it waits for. */
  readonly older: ReadonlyArray<string>
}

/** Who is there. What it says of a process is as old as its last note: nothing that must be right hangs on it. */
export class Fleet extends Context.Service<
  Fleet,
  {
    /**
     * The process is there now, whether it was noted before or forgotten meanwhile. Forgets who was not seen for
     * `Limits.processForgottenMs`. Fails with `Outgrown` for one that must not go on: it was silent for so long that a
     * newer version took away what it needs.
     */
    readonly note: (process: ServerProcess) => Effect.Effect<void, LedgerUnavailable | Outgrown>
    /** Forgets a process that ends. One that is not noted is nothing to forget. */
    readonly leave: (id: string) => Effect.Effect<void, LedgerUnavailable>
    /** Forgets all of them: whoever was there is known to be dead. */
    readonly leaveAll: Effect.Effect<void, LedgerUnavailable>
    /** All that are noted, in the order of their starts. */
    readonly all: Effect.Effect<ReadonlyArray<SeenProcess>, LedgerUnavailable>
    /**
     * Takes away what only older versions of the program need of the store, unless one of them was seen in the last
     * `Limits.processSilentMs`.
     */
    readonly contract: Effect.Effect<Contracted, LedgerUnavailable>
  }
>()("@pawl/core/work/Fleet") {}
