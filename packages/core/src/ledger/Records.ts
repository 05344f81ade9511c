/** Reads what the ledger keeps. Records carry the revision that a later commit guards. */
import { Context, type Effect, type Option } from "effect"
import type { Stored } from "./Commit.ts"
import type { ColumnsOf, Kind, RecordOf, Value } from "../model/Entities.ts"
import type { LedgerUnavailable } from "./Ledger.ts"

/** What columns must be: equal to, or one of. What is given must all hold. */
export type Where<K extends Kind> = { readonly [C in ColumnsOf<K>]?: Value | ReadonlyArray<Value> }

/** Which records of a kind are asked for; what is given must all hold. */
export interface Listing<K extends Kind> {
  /** Only records of this Project. */
  readonly projectId?: string
  readonly where?: Where<K>
  /** By time of insertion. Default `oldest`. */
  readonly order?: "oldest" | "newest"
  /** At most `Limits.pageSize` (100) unless `all` is asked for. */
  readonly limit?: number | "all"
  /** The cursor of the page before. */
  readonly cursor?: string
}

/** Some records of a listing, in its order. */
export interface Page<A> {
  readonly items: ReadonlyArray<Stored<A>>
  /** The cursor behind each item, in their order: a page that begins there goes on with the next one. */
  readonly cursors: ReadonlyArray<string>
  /** Null on the last page. */
  readonly nextCursor: string | null
}

/** The position that a cursor names; null for none, and for one that is not ours. */
export const positionOf = (cursor: string | undefined): number | null =>
  cursor !== undefined && /^[1-9][0-9]{0,14}$/.test(cursor) ? Number(cursor) : null

/** Each answer is what was committed last. */
export class Records extends Context.Service<
  Records,
  {
    /** The record of a key; none for one that there is not. */
    readonly get: <K extends Kind>(
      kind: K,
      id: string
    ) => Effect.Effect<Option.Option<Stored<RecordOf<K>>>, LedgerUnavailable>
    /** The records of some keys, by key, however many: one question. Those that there are not are not among them. */
    readonly many: <K extends Kind>(
      kind: K,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, Stored<RecordOf<K>>>, LedgerUnavailable>
    /** A page of records in the order of their insertion. A cursor that is not one of ours starts at the beginning. */
    readonly list: <K extends Kind>(kind: K, listing: Listing<K>) => Effect.Effect<Page<RecordOf<K>>, LedgerUnavailable>
    /** How many records of each of these Projects are as `where` says: one question. A Project that has none is not among them. */
    readonly counts: <K extends Kind>(
      kind: K,
      projectIds: ReadonlyArray<string>,
      where: Where<K>
    ) => Effect.Effect<ReadonlyMap<string, number>, LedgerUnavailable>
  }
>()("@pawl/core/ledger/Records") {}
