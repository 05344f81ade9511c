/** The one port that writes. State, events, commands and the journal move together or not at all. */
import { Context, type Effect, Schema } from "effect"
import type { Commit } from "./Commit.ts"

/** Something this commit relied on has changed meanwhile. Read again and decide anew. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", {
  kind: Schema.String,
  id: Schema.String,
  /** `absent`, or the revision that was expected. */
  expected: Schema.String,
  /** Null when there is no such record. */
  actual: Schema.NullOr(Schema.String)
}) {
  override get message() {
    return `${this.kind} ${this.id} was expected as ${this.expected} and found as ${this.actual ?? "absent"}: it has changed meanwhile.`
  }
}

/** The lease under which this was done has ended; another worker may be doing it. Stop. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", { commandId: Schema.String }) {
  override get message() {
    return `The lease of ${this.commandId} has ended: another worker may be doing it.`
  }
}

/**
 * The store cannot be reached, is full, or gave up. Nothing is known of the commit; sending it again is safe when it has
 * a step of the journal, or a record that there can be only once.
 */
export class LedgerUnavailable extends Schema.TaggedError<LedgerUnavailable>()("LedgerUnavailable", {
  operation: Schema.String,
  reason: Schema.String,
  /** It will not come back by itself: what is stored cannot be read. Waiting is no use. */
  lasting: Schema.optional(Schema.Literal(true))
}) {
  override get message() {
    return `The store is away (${this.operation}): ${this.reason}`
  }
}

/** It was applied now. */
export interface Committed {
  readonly _tag: "Committed"
  /** The sequence of the first and the last event; null without events. */
  readonly events: { readonly first: number; readonly last: number } | null
}

/** The step of the journal was done before; nothing was done now. */
export interface Duplicate {
  readonly _tag: "Duplicate"
}

/** No other port writes a record or tells an event. */
export class Ledger extends Context.Service<
  Ledger,
  {
    /**
     * Applies the whole commit, or nothing. Fails with `Conflict` naming the first expectation that no longer holds,
     * in the order: expects, then writes; with `LeaseLost` when its lease is not held any more. A repeated journal step
     * answers `Duplicate`. A status step that the lifecycle lacks, one without the events of its row, a record of
     * another scope and a commit over `Limits.commitRows` or `commitBytes` are defects (`BadCommit`).
     */
    readonly commit: (commit: Commit) => Effect.Effect<Committed | Duplicate, Conflict | LeaseLost | LedgerUnavailable>
  }
>()("@pawl/core/ledger/Ledger") {}
