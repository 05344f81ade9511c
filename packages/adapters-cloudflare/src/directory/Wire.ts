/** What one object's stores are asked by another, and how failures come over RPC, on which errors lose their fields. */
import type { Commit, Stored } from "@pawl/core/ledger/Commit"
import { type Committed, Conflict, type Duplicate, LeaseLost, LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import type { Listing, Page } from "@pawl/core/ledger/Records"
import type { DeadLetter, Lease } from "@pawl/core/model/Command"
import type { Kind } from "@pawl/core/model/Entities"
import type { LetterPage } from "@pawl/core/work/Commands"
import { Effect, Schema } from "effect"

/** Why a store did not do what it was asked. */
export type StoreFailure = Conflict | LeaseLost | LedgerUnavailable

const Failure = Schema.Union([Conflict, LeaseLost, LedgerUnavailable])
const encode = Schema.encodeSync(Failure)
const decode = Schema.decodeUnknownSync(Failure)

/** An answer over RPC. */
export type Told<A> =
  | { readonly _tag: "Done"; readonly value: A }
  | { readonly _tag: "Failed"; readonly failure: unknown }

/** What any object's stores answer to another object. */
export interface StoreCalls {
  readonly recordOf: (kind: Kind, id: string) => Promise<Told<Stored<unknown> | null>>
  readonly recordsOf: (kind: Kind, ids: ReadonlyArray<string>) => Promise<Told<ReadonlyMap<string, Stored<unknown>>>>
  readonly pageOf: (kind: Kind, listing: Listing<Kind>) => Promise<Told<Page<unknown>>>
  readonly commit: (commit: Commit) => Promise<Told<Committed | Duplicate>>
  /** A page of the dead letters of the object's own scope. */
  readonly lettersOf: (page: LetterPage) => Promise<Told<ReadonlyArray<DeadLetter>>>
}

/** The id of a record, as it is reserved. */
export interface Reserved {
  readonly kind: string
  readonly id: string
}

/** A record as its Project has it now; without a row when it is gone. */
export interface MirroredRow {
  readonly kind: Kind
  readonly id: string
  readonly row: {
    readonly revision: number
    readonly data: string
    /** Values of the kind's columns, in their order. */
    readonly values: ReadonlyArray<string | number | null>
  } | null
}

/** A row of a Project's history, as its object has it. */
export interface MirroredMove {
  readonly position: number
  readonly changeId: string | null
  /** Who did what, as JSON. */
  readonly data: string
}

/** What moved in a Project since the message before, and when it did something last: ms since 1970; null for never. */
export interface MirroredNews {
  /** Something of it moved. */
  readonly moved: number | null
  /** Its newest generation became canonical. */
  readonly promoted: number | null
  /** In order. */
  readonly moves: ReadonlyArray<MirroredMove>
}

/** What the directory answers to Projects, beside what its stores do. */
export interface DirectoryCalls extends StoreCalls {
  /** Says of which Project these are. Saying it again changes nothing; an id of another Project is a defect. */
  readonly reserve: (projectId: string, ids: ReadonlyArray<Reserved>) => Promise<Told<null>>
  /**
   * Takes over what a Project has at its `position`, where that is newer than what is here, and when its next work is due
   * (ms since 1970; null: none). `news` are left out where nothing changed.
   */
  readonly mirror: (
    projectId: string,
    position: number,
    rows: ReadonlyArray<MirroredRow>,
    dueMs: number | null,
    news?: MirroredNews
  ) => Promise<Told<null>>
  readonly finish: (lease: Lease) => Promise<Told<null>>
  readonly used: (name: string, day: string) => Promise<Told<number>>
  readonly usedBy: (prefix: string, day: string) => Promise<Told<ReadonlyMap<string, number>>>
  readonly take: (name: string, day: string, max: number, also: ReadonlyArray<string>) => Promise<Told<boolean>>
  readonly add: (name: string, day: string, amount: number, also: ReadonlyArray<string>) => Promise<Told<null>>
}

/** The answer of an effect. */
export const told = <A, R>(effect: Effect.Effect<A, StoreFailure, R>): Effect.Effect<Told<A>, never, R> =>
  effect.pipe(
    Effect.map((value): Told<A> => ({ _tag: "Done", value })),
    Effect.catch((failure) => Effect.succeed<Told<A>>({ _tag: "Failed", failure: encode(failure) }))
  )

/** Asks another object. One that cannot be reached is an outage, of which nothing else is known. */
export const asked = <A>(operation: string, call: () => Promise<Told<A>>): Effect.Effect<A, StoreFailure> =>
  Effect.flatMap(
    Effect.tryPromise({
      try: call,
      catch: (error) =>
        new LedgerUnavailable({ operation, reason: error instanceof Error ? error.message : "the object is away" })
    }),
    (answer) => (answer._tag === "Done" ? Effect.succeed(answer.value) : Effect.fail(decode(answer.failure)))
  )

/** The same of what changes nothing: all that can befall it is an outage. */
export const read = <A>(operation: string, call: () => Promise<Told<A>>): Effect.Effect<A, LedgerUnavailable> =>
  Effect.catchTags(asked(operation, call), { Conflict: Effect.die, LeaseLost: Effect.die })
