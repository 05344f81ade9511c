/** Where the state is kept: in a SQLite file of the data folder, or in Postgres, which several processes share. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as SqliteClient from "@pawl/adapters-local/sqlite/SqliteClient"
import * as Notices from "@pawl/adapters-pg/Notices"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import type { SqlError } from "effect/sql/SqlError"
import { reasonOf } from "@pawl/sql/Database"
import * as SqlStores from "@pawl/sql/SqlStores"
import { Effect, Layer, Schema } from "effect"
import type { Options } from "./Options.ts"

/** The database cannot be reached, or not be used. The reason holds no address and no password. */
class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `The database cannot be used: ${this.reason}`
  }
}

const told = (problem: LedgerUnavailable | SqlError): string =>
  problem._tag === "SqlError" ? reasonOf(problem) : problem.reason

/** In the place of any layer. */
const unavailable = (reason: string) => Layer.effectContext(new DatabaseUnavailable({ reason }))

type State = Layer.Layer<SqlStores.Stores | Notices.Notices, DatabaseUnavailable>

const embedded = (options: Options): State =>
  Layer.merge(SqlStores.layer, Notices.layerAlone).pipe(
    Layer.provide(SqliteClient.layer({ filename: join(options.data, "pawl.db") })),
    Layer.catch((problem) => unavailable(told(problem)))
  )

/** The client of Postgres is read when one is used: the embedded server starts without it. */
const postgres = ({ databaseSchema }: Options, url: NonNullable<Options["databaseUrl"]>) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@pawl/adapters-pg/PgClient")),
      (PgClient) => PgClient.layer({ url, schema: databaseSchema })
    )
  )

const shared = (options: Options, url: NonNullable<Options["databaseUrl"]>): State =>
  SqlStores.layer.pipe(
    Layer.provideMerge(postgres(options, url)),
    Layer.catch((problem) => unavailable(told(problem)))
  )

/**
 * The stores alone, for a command that works for a moment beside a server or without one. Nothing is made: a folder
 * without a database is the wrong one.
 */
export const layerBeside = (options: Options): Layer.Layer<SqlStores.Stores, DatabaseUnavailable> => {
  const filename = join(options.data, "pawl.db")
  if (options.databaseUrl === null && !existsSync(filename))
    return unavailable(`there is no ${filename}: name the data folder with --data`)
  const database =
    options.databaseUrl === null ? SqliteClient.layer({ filename }) : postgres(options, options.databaseUrl)
  return SqlStores.layerBeside.pipe(
    Layer.provide(database),
    Layer.catch((problem) => unavailable(told(problem)))
  )
}

/** The stores, and the notices between processes, which without Postgres have nobody to go to. */
export const layer = (options: Options): State =>
  options.databaseUrl === null ? embedded(options) : shared(options, options.databaseUrl)
