/**
 * A Commit is what a decision wants: plain data. What must still be true, the records to write, the events for
 * the outbox, the commands to send, the journal step that this completes. All of it happens, or none.
 */
import type { Actor } from "../model/Actor.ts"
import type { Lease, NewCommand } from "../model/Command.ts"
import type { NewEvent } from "../model/Event.ts"
import type { Kind, RecordOf } from "../model/Entities.ts"

/** A record as it was read. `revision` starts at 1 and grows with every write. */
export interface Stored<A> {
  readonly record: A
  readonly revision: number
}

/** What must still be true when a commit is applied, or it fails with `Conflict`. */
export type Expectation =
  /** The record is still at the revision that was read. */
  | { readonly _tag: "Unchanged"; readonly kind: Kind; readonly id: string; readonly revision: number }
  /** There is no such record. */
  | { readonly _tag: "Absent"; readonly kind: Kind; readonly id: string }

/** What a commit writes of one record. */
export type Write =
  /** A new record. Conflicts when its key is taken. */
  | { readonly [K in Kind]: { readonly _tag: "Insert"; readonly kind: K; readonly record: RecordOf<K> } }[Kind]
  /** A new state of a record that was read at `revision` as `from`. Conflicts when it moved on. */
  | {
      readonly [K in Kind]: {
        readonly _tag: "Update"
        readonly kind: K
        readonly record: RecordOf<K>
        /** What stood there at `revision`: stores write only the columns that differ, and keep the step of its status. */
        readonly from: RecordOf<K>
        readonly revision: number
      }
    }[Kind]
  /** No such record any more. Conflicts when it moved on since `revision`. */
  | { readonly _tag: "Delete"; readonly kind: Kind; readonly id: string; readonly revision: number }

/** The step of a durable process that a commit finishes. It is kept with the result, and never done again. */
export interface JournalEntry {
  /** The process: the id of its command. */
  readonly process: string
  /** Its name, unique in the process. */
  readonly step: string
  /** JSON. Large results are stored by digest, not here. */
  readonly result: unknown
}

/**
 * A step that the history is told of, of what has no record of its own: nothing decides by it. What has a record and a
 * status is told by what is written of it.
 */
export interface Mark {
  /** The Change that it belongs to. */
  readonly changeId: string
  /** `check` */
  readonly kind: string
  readonly id: string
  /** Null when it began. */
  readonly from: string | null
  readonly to: string
  /** In words; null for none. */
  readonly reason: string | null
}

/**
 * Whether what is written is on the disk when it is answered. What is `passing` is there for every process at once, and
 * outlasts the death of all of them; a power cut may take it, with nothing that was answered after it as lasting. For what
 * means nothing once all processes are gone, such as who works on what. A store that can do no less keeps it all.
 */
export type Keeping = "lasting" | "passing"

/** One decision, whole. What is left out is empty. */
export interface Commit {
  /** `Promotions.swap`: names the commit in traces, faults and crash points. */
  readonly name: string
  /** The Project whose event sequence it writes; null for the directory. */
  readonly projectId: string | null
  /** Who did it, for the history. Default: the actor of the first event, else `system:` and the name. */
  readonly actor?: Actor
  /** What must still be true of records that it does not write. */
  readonly expects?: ReadonlyArray<Expectation>
  /** Applied in order; each guards the record that it writes. */
  readonly writes?: ReadonlyArray<Write>
  /** What the history is told beside the statuses of `writes`. Of a Project only. */
  readonly marks?: ReadonlyArray<Mark>
  /** For the outbox, in the order in which they get their sequence. Of a Project only. */
  readonly events?: ReadonlyArray<NewEvent>
  /** Work to send. */
  readonly commands?: ReadonlyArray<NewCommand>
  /** The step that this finishes. Done before, the commit does nothing and answers `Duplicate`. */
  readonly journal?: JournalEntry
  /** The lease under which the work is done. The commit fails with `LeaseLost` when it is not held any more. */
  readonly lease?: Lease
  /** Default: `lasting`. `passing` is for a journal step that stands alone: done anew, it comes to as good an end. */
  readonly keeping?: Keeping
}

/** The write of a new record. */
export const insert = <K extends Kind>(kind: K, record: RecordOf<K>): Write =>
  ({ _tag: "Insert", kind, record }) as unknown as Write

/**
 * The write of a stored record with some fields replaced; without fields it only guards it against whoever else writes
 * it. Where a decision has a `Draft`, that writes.
 */
export const update = <K extends Kind>(kind: K, stored: Stored<RecordOf<K>>, fields: Partial<RecordOf<K>>): Write =>
  ({
    _tag: "Update",
    kind,
    record: { ...stored.record, ...fields },
    from: stored.record,
    revision: stored.revision
  }) as unknown as Write

/** The write that takes a stored record away; conflicts when it moved on. */
export const remove = (kind: Kind, id: string, { revision }: Stored<unknown>): Write => ({
  _tag: "Delete",
  kind,
  id,
  revision
})

/** That a record still is at the revision at which it was read. */
export const unchanged = (kind: Kind, id: string, stored: Stored<unknown>): Expectation => ({
  _tag: "Unchanged",
  kind,
  id,
  revision: stored.revision
})

/** That there is no record of this kind and id. */
export const absent = (kind: Kind, id: string): Expectation => ({ _tag: "Absent", kind, id })
