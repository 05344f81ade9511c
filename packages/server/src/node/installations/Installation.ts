/**
 * How an installation keeps its state, and with whom it shares its data folder: all that differs between one server on
 * one machine and several on a database. Everything else of a server is composed once, above.
 */
import { reasonOf } from "@pawl/sql/Database"
import type * as DataFolder from "@pawl/adapters-local/sqlite/DataFolder"
import type { RoleReport } from "@pawl/adapters-pg/rights/RightsLook"
import type { RoleRefused } from "@pawl/adapters-pg/rights/RouterGrants"
import type * as Notices from "@pawl/core/ledger/Notices"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import type { SharedSlots } from "@pawl/core/ledger/SharedSlots"
import type { Commands } from "@pawl/core/work/Commands"
import type { Fleet } from "@pawl/core/work/Fleet"
import { demandWhole } from "@pawl/sql/copies/LoadedRows"
import * as SqlStores from "@pawl/sql/SqlStores"
import type { Snapshot } from "@pawl/sql/copies/Snapshot"
import type { Upgraded } from "@pawl/sql/Upgrade"
import { Effect, Layer, Schema, type Scope } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** The database cannot be reached, or not be used. The reason holds no address and no password. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `The database cannot be used: ${this.reason}`
  }
}

/** What a process found when it entered its data folder. */
export interface Entered {
  /** No other process works in the folder. */
  readonly alone: boolean
  /** Tells the others that this process is ready. */
  readonly settled: Effect.Effect<void>
}

/** What the database is, for `pawl doctor`. */
export interface FoundDatabase {
  readonly state: "ok" | "missing"
  readonly found: string
  readonly remedy: string | null
}

/** What users of the database may do. */
export interface Rights {
  /** What the one may do as whom this process connects. */
  readonly own: Effect.Effect<RoleReport, DatabaseUnavailable>
  /** What a user may do. Changes nothing. */
  readonly of: (role: string) => Effect.Effect<RoleReport, DatabaseUnavailable | RoleRefused>
  /** Gives a user what a router needs, and takes all else from it. Answers what it may do then. */
  readonly grantRouter: (role: string) => Effect.Effect<RoleReport, DatabaseUnavailable | RoleRefused>
}

/** What the composition asks of one. */
export interface Installation {
  /** The stores, and the notices between processes, which in one process have nobody to go to. */
  readonly state: Layer.Layer<SqlStores.Stores | Notices.Notices, DatabaseUnavailable>
  /**
   * The stores alone, for a command that works for a moment beside a server or without one. Nothing is made: where
   * there is no database, the folder is the wrong one.
   */
  readonly beside: Layer.Layer<SqlStores.Stores, DatabaseUnavailable>
  /** The stores over an empty database, or one in use, and the client itself: what is restored goes through it. */
  readonly restorable: Layer.Layer<SqlStores.Stores | SqlClient.SqlClient, DatabaseUnavailable>
  /** All rows of this moment, until the scope ends. */
  readonly snapshot: Effect.Effect<Snapshot, LedgerUnavailable, Scope.Scope>
  /**
   * The stores of a process that only routes: nothing is made, and nothing is read that it may not. It waits a while for
   * who prepares the database.
   */
  readonly routing: Layer.Layer<SqlStores.Stores | Notices.Notices, DatabaseUnavailable>
  /** Of the users of the database; null where there are none. */
  readonly rights: Rights | null
  /** Brings the database to the shape of this version: what a server does at its start, by itself. */
  readonly upgrade: Effect.Effect<Upgraded, DatabaseUnavailable | DataFolder.FolderInUse | DataFolder.FolderUnavailable>
  /** What that would find. Changes nothing. */
  readonly outlook: Effect.Effect<Upgraded, DatabaseUnavailable>
  /** Whether other processes write the same repositories. */
  readonly sharesRepositories: boolean
  /** Whether other processes sign for it, from folders of their own. */
  readonly signsWithOthers: boolean
  /** Enters the data folder, until the scope ends. */
  readonly enter: Effect.Effect<Entered, DataFolder.FolderInUse | DataFolder.FolderUnavailable, Scope.Scope>
  /** Takes back what a dead process of this installation held, where no other can hold it. */
  readonly takeBack: Effect.Effect<void, LedgerUnavailable, Commands | Fleet | SharedSlots>
  /** Looks at the database without using it. */
  readonly look: Effect.Effect<FoundDatabase>
}

const told = (problem: LedgerUnavailable | SqlError): string =>
  problem._tag === "SqlError" ? reasonOf(problem) : problem.reason

/** A layer that fails with `DatabaseUnavailable`, in the place of any other. */
export const unavailable = (reason: string) => Layer.effectContext(new DatabaseUnavailable({ reason }))

/** The layer, with `DatabaseUnavailable` in the place of what its database fails with. */
export const orUnavailable = <A, R>(layer: Layer.Layer<A, LedgerUnavailable | SqlError, R>) =>
  Layer.catch(layer, (problem) => unavailable(told(problem)))

/** The stores of a server: not where a restore was cut off, which its command has to end first. */
export const wholeStores = Layer.effectDiscard(demandWhole).pipe(Layer.provideMerge(SqlStores.layer))

/** Work on the database of a client, with `DatabaseUnavailable` in the place of any other failure. */
export const onDatabase = <A, R, E extends LedgerUnavailable | SqlError>(
  work: Effect.Effect<A, LedgerUnavailable, R>,
  client: Layer.Layer<R, E>
): Effect.Effect<A, DatabaseUnavailable> =>
  Effect.mapError(Effect.provide(work, client), (problem) => new DatabaseUnavailable({ reason: told(problem) }))
