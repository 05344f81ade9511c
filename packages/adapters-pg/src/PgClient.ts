/**
 * Postgres for many processes: `SqlClient` (for migrations, and for a host program's own statements), the stores'
 * `Database`, and `Notices`. Its tables lie in a schema of their own and are called `pawl_…`, so that Pawl can live in a
 * host program's database. Needs Postgres 14 or newer, and connections that are kept (a pooler in session mode, not in
 * transaction mode).
 */
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Notices from "@pawl/core/ledger/Notices"
import * as Signals from "@pawl/core/ledger/Signals"
import { Database } from "@pawl/sql/Database"
import { Context, Effect, Layer } from "effect"
import { makeClient } from "./PgConnections.ts"
import { make as makeDatabase } from "./PgDatabase.ts"
import { PgLimits } from "./PgLimits.ts"
import * as PgNotices from "./PgNotices.ts"
import * as PgPool from "./PgPool.ts"
import { defaultSchema } from "./SchemaName.ts"

/** Makes the schema when it is not there. The lock is that of the migrations: two processes that start at once take turns. */
const makeSchema = (sql: SqlClient.SqlClient, schema: string) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(7029573)`
      // Asked first: who may use a schema that is there may not be allowed to make one.
      const there = yield* sql`SELECT 1 FROM pg_namespace WHERE nspname = ${schema}`
      if (there.length === 0) yield* sql`CREATE SCHEMA ${sql(schema)}`
    })
  )

/** Signals of this process that the other processes hear too, and those of the others. */
const makeSignals = Effect.fnUntraced(function* (notices: Notices.Notices["Service"]) {
  const here = Signals.make()
  yield* Effect.acquireRelease(
    Effect.sync(() => notices.subscribe({ heard: here.notify, missed: () => here.notify(Signals.missed) })),
    (stop) => Effect.sync(stop)
  )
  return {
    arm: here.arm,
    listen: here.listen,
    notify: (topic: string) => {
      here.notify(topic)
      notices.publish(topic)
    }
  }
})

/** How connections are made, and what carries notices. */
export interface Options extends PgPool.Options {
  /** What carries notices between the processes on this database. Default: the database itself. */
  readonly notices?: Notices.Join
}

/** The same for all who use this schema of this database, whatever they call its host; another's is another. */
const placeOf = (sql: SqlClient.SqlClient, schema: string) =>
  Effect.map(
    sql<{ readonly place: string }>`SELECT concat_ws('/', (SELECT system_identifier FROM pg_control_system()),
      (SELECT oid FROM pg_database WHERE datname = current_database()), ${schema}::text) AS place`,
    ([row]) => row!.place
  )

const make = Effect.fnUntraced(function* (options: Options, makesSchema: boolean) {
  const pool = yield* PgPool.make(options)
  const sql = yield* makeClient(pool)
  const schema = options.schema ?? defaultSchema
  if (makesSchema) yield* makeSchema(sql, schema)
  const { notices: join } = options
  const notices = yield* join === undefined ? PgNotices.make(options) : Effect.flatMap(placeOf(sql, schema), join)
  const signals = yield* makeSignals(notices)
  const database = {
    ...makeDatabase(pool, (options.statementMs ?? PgLimits.statementMs) + PgLimits.serverSilenceMs),
    signals
  }
  return Context.make(SqlClient.SqlClient, sql).pipe(
    Context.add(Database, database),
    Context.add(Notices.Notices, notices)
  )
})

/** Fails with `SqlError` when the database cannot be reached or used. Everything ends with the scope. */
export const layer = (options: Options): Layer.Layer<SqlClient.SqlClient | Database | Notices.Notices, SqlError> =>
  Layer.effectContext(make(options, true)).pipe(Layer.provide(Reactivity.layer))

/** The same, and nothing is made: for who works on a schema that is there, perhaps as a user that may make none. */
export const layerBeside = (
  options: Options
): Layer.Layer<SqlClient.SqlClient | Database | Notices.Notices, SqlError> =>
  Layer.effectContext(make(options, false)).pipe(Layer.provide(Reactivity.layer))
