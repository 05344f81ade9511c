/** Stores on a real Postgres. One server for a test file; every store begins empty. */
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { afterAll, describe } from "vitest"
import * as PgClient from "@pawl/adapters-pg/PgClient"
import type { Options } from "@pawl/adapters-pg/PgPool"
import * as SqlStores from "@pawl/sql/SqlStores"
import * as PostgresServer from "./PostgresServer.ts"

export const reason = await PostgresServer.whyNot()
if (reason !== null) console.warn(`SKIPPED: ${reason}`)

/** The server of this file; null where there can be none. */
export const server = reason === null ? await PostgresServer.start() : null
if (server !== null) afterAll(server.stop)

/** A suite that needs it. */
export const onPostgres = (title: string, body: () => void): void => {
  describe.skipIf(server === null)(title, () => {
    body()
  })
}

export const url = server?.url ?? "postgres://127.0.0.1:1/none"

/** The stores, and the client and the database that they stand on. */
export const storesOn = (schema: string, options: Partial<Omit<Options, "schema">> = {}) =>
  Layer.provideMerge(SqlStores.layer, PgClient.layer({ url: Redacted.make(url), ...options, schema }))

/** Empties what a store keeps. What a store is made of stays: making that anew takes longer than most tests. */
const empty = `DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'pawl_suite' AND tablename NOT IN ('pawl_migration', 'pawl_contraction', 'pawl_transition')
  LOOP EXECUTE format('DELETE FROM pawl_suite.%I', name); END LOOP; END $$`

const emptied = Effect.promise(() => PostgresServer.administer(url, empty))

/** One client for all stores of a file: to connect and to look at the migrations takes longer than most tests. */
const client = ManagedRuntime.make(PgClient.layer({ url: Redacted.make(url), schema: "pawl_suite" }))
if (server !== null) afterAll(() => client.dispose())

/** An empty store each time the layer is built; one at a time. The first one makes the tables. */
export const layerFresh = Layer.unwrap(
  Effect.map(Effect.andThen(client.contextEffect, emptied), () =>
    Layer.provideMerge(SqlStores.layer, Layer.effectContext(client.contextEffect))
  )
)

let schemas = 0
/** A schema that nobody has used. */
export const newSchema = (): string => `pawl_test_${++schemas}`
