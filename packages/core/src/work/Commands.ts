/**
 * The queue of durable work. Commands are sent by `Ledger.commit`; here they are claimed, retried and buried. One that
 * is sent while it is held (or its lease ended without a word) is marked, once, with the newest payload and the earliest
 * due time: when it is finished it begins anew. The mark outlives `release`, `releaseAll` and a failed try. A dead letter
 * keeps nothing of it; sending its id queues a command beside it.
 */
import { short } from "../primitives/ShortText.ts"
import { Context, type Effect, Schema } from "effect"
import type { LeaseLost, LedgerUnavailable } from "../ledger/Ledger.ts"
import type { Timestamp } from "../primitives/Time.ts"
import type { CommandKind, DeadLetter, GivenBack, Lease, LeasedCommand } from "../model/Command.ts"

/** There is no dead letter with this id. */
export class DeadLetterMissing extends Schema.TaggedError<DeadLetterMissing>()("DeadLetterMissing", {
  id: Schema.String
}) {
  override get message() {
    return `There is no dead letter ${short(this.id)} that you may see.`
  }
}

/** Which dead letters are asked for. */
export interface LetterPage {
  /** The last one of the page before. When it is gone since, those that died before it are passed over. */
  readonly after?: Pick<DeadLetter, "id" | "diedAt">
  /** At most `Limits.pageSize` (100), which is also the default. */
  readonly limit?: number
  /** Only those whose id or payload holds one of these texts. */
  readonly naming?: ReadonlyArray<string>
}

/** What a worker asks for. */
export interface Claim {
  /** Its name, for people who look into the store. */
  readonly worker: string
  /** What it can do. */
  readonly kinds: ReadonlyArray<CommandKind>
  /** How many at most. */
  readonly limit: number
  /** How long each is held before it must be renewed. */
  readonly leaseMs: number
  /** Commands that are left to others: those of a Project (null: the directory) and of one of these kinds. */
  readonly except?: ReadonlyArray<{ readonly projectId: string | null; readonly kinds: ReadonlyArray<CommandKind> }>
}

/** The queue, as workers see it. What is sent stands in a commit; here it is leased, ended or put off. */
export class Commands extends Context.Service<
  Commands,
  {
    /**
     * Leases at most `limit` due commands to this worker, taking Projects in turn. Commands whose lease ended are due
     * again; that is a death, and no try.
     */
    readonly claim: (options: Claim) => Effect.Effect<ReadonlyArray<LeasedCommand>, LedgerUnavailable>
    /** Makes the lease end `leaseMs` from now. */
    readonly renew: (lease: Lease, leaseMs: number) => Effect.Effect<void, LeaseLost | LedgerUnavailable>
    /**
     * The work is done; the command is gone. One that was sent again meanwhile is due instead, at once or after the
     * delay it was sent with: attempts 0, the new payload, an empty journal.
     */
    readonly finish: (lease: Lease) => Effect.Effect<void, LeaseLost | LedgerUnavailable>
    /** The try failed: due again after `delayMs`, or a dead letter when all tries are used, or when `delayMs` is null. */
    readonly fail: (
      lease: Lease,
      problem: string,
      delayMs: number | null
    ) => Effect.Effect<"retried" | "dead", LeaseLost | LedgerUnavailable>
    /** Gives the command back without counting the try, due after `delayMs`; `why` is "waits" when not said. */
    readonly release: (
      lease: Lease,
      delayMs: number,
      why?: GivenBack
    ) => Effect.Effect<void, LeaseLost | LedgerUnavailable>
    /** Ends every lease. Only for a store that has one process: whoever held one is dead. Each is a death, and no try. */
    readonly releaseAll: Effect.Effect<number, LedgerUnavailable>
    /**
     * The latest moment, ms since 1970, from which on a queued command of these kinds of a Project could be worked on:
     * when it was sent, or until when it waited for machinery that was away. Null when none is queued.
     */
    readonly workableSince: (
      projectId: string,
      kinds: ReadonlyArray<CommandKind>
    ) => Effect.Effect<number | null, LedgerUnavailable>
    /** Waits until a command may be due, at most `timeoutMs`. */
    readonly awaitWork: (timeoutMs: number) => Effect.Effect<void>
    /** A page of a Project's dead letters, the first that died first; null for those of the directory. */
    readonly deadLetters: (
      projectId: string | null,
      page?: LetterPage
    ) => Effect.Effect<ReadonlyArray<DeadLetter>, LedgerUnavailable>
    /** Dead letters of any Project, and of the directory, that died before a moment: at most `limit`, the first first. */
    readonly oldLetters: (
      before: Timestamp,
      limit: number
    ) => Effect.Effect<ReadonlyArray<DeadLetter>, LedgerUnavailable>
    /** One dead letter, so that a caller can check whose it is. */
    readonly deadLetter: (id: string) => Effect.Effect<DeadLetter, DeadLetterMissing | LedgerUnavailable>
    /** Queues a dead letter again, with its tries restored. */
    readonly retry: (id: string) => Effect.Effect<void, DeadLetterMissing | LedgerUnavailable>
    /** Forgets a dead letter, and its journal. */
    readonly dismiss: (id: string) => Effect.Effect<void, DeadLetterMissing | LedgerUnavailable>
  }
>()("@pawl/core/work/Commands") {}
