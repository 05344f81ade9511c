/**
 * Connections to Postgres, each set up alike: Pawl's own schema first in the search path, and every statement, every
 * wait for a lock and every idle transaction bounded in time, so that a process that is frozen in the middle of a
 * transaction lets go of its locks.
 */
import { SqlError } from "effect/sql/SqlError"
import { Effect, Redacted, type Scope } from "effect"
import Pg from "pg"
import { reasonFor } from "./PgFailures.ts"
import { PgLimits } from "./PgLimits.ts"
import { defaultSchema, schemaProblem } from "./SchemaName.ts"

/** How connections are made; what is left out has the default named with it. */
export interface Options {
  /** `postgres://user:password@host:port/database`. It is never logged. */
  readonly url: Redacted.Redacted
  /** The schema that holds Pawl's tables; made when it is not there. Lowercase letters, digits and `_`. Default `pawl`. */
  readonly schema?: string
  /** How many connections this process opens at most, beside the one that listens. Default 10. */
  readonly connections?: number
  /** How long a statement may take, in ms. Default `PgLimits.statementMs`. */
  readonly statementMs?: number
  /** How long it may take to get a connection, in ms. Default `PgLimits.connectMs`. */
  readonly connectMs?: number
}

/** What Postgres or the network said of a statement, as the `SqlError` of its kind. */
export const failed = (cause: unknown): SqlError =>
  new SqlError({ reason: reasonFor({ cause, message: "Failed to execute statement", operation: "execute" }) })

/** int2, int4, int8, oid, float4, float8 and numeric are numbers here: what Pawl counts stays far below 2^53. */
const numbers = new Set([20, 21, 23, 26, 700, 701, 1700])
const asIs = (value: string): string => value

/** How a value of this type is read from its text. */
export const parserOf = (type: number): ((value: string) => unknown) =>
  numbers.has(type) ? Number : type === 16 ? (value) => value === "t" : asIs

/** What `pg` needs to open one connection. */
export const settings = (options: Options): Pg.ClientConfig => {
  const schema = options.schema ?? defaultSchema
  const url = new URL(Redacted.value(options.url))
  const given = url.searchParams.get("options")
  // Pawl's lookups want the first few rows of an index in its order. Where statistics are old, as they are of a queue,
  // the planner may gather all rows of a Project in a bitmap and sort them instead.
  const ours = `-c search_path=${schema} -c enable_bitmapscan=off`
  url.searchParams.set("options", given === null ? ours : `${given} ${ours}`)
  const statementMs = options.statementMs ?? PgLimits.statementMs
  return {
    connectionString: url.toString(),
    application_name: "pawl",
    statement_timeout: statementMs,
    lock_timeout: Math.ceil(statementMs / 2),
    idle_in_transaction_session_timeout: statementMs,
    connectionTimeoutMillis: options.connectMs ?? PgLimits.connectMs,
    keepAlive: true,
    types: { getTypeParser: parserOf }
  }
}

/** A pool that ends with the scope. It connects when it is asked, and makes anew what broke. */
export const make = (options: Options): Effect.Effect<Pg.Pool, SqlError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        const problem = schemaProblem(options.schema ?? defaultSchema)
        if (problem !== null) throw new Error(`schema: ${problem}`)
        const pool = new Pg.Pool({ ...settings(options), max: options.connections ?? 10, idleTimeoutMillis: 30_000 })
        // A connection that breaks while nobody uses it is dropped by the pool; the next one asked for is new.
        pool.on("error", () => undefined)
        return pool
      },
      catch: (cause) =>
        new SqlError({ reason: reasonFor({ cause, message: "Failed to open the pool", operation: "connect" }) })
    }),
    (pool) => Effect.promise(() => pool.end().catch(() => undefined))
  )

/** What the server says of its version. Changes nothing there. */
export const versionOf = (options: Options): Effect.Effect<string, SqlError> =>
  Effect.tryPromise({
    try: async () => {
      const client = new Pg.Client(settings(options))
      client.on("error", () => undefined)
      await client.connect()
      try {
        const text = "SELECT current_setting('server_version') AS version"
        const { rows } = await client.query<{ version: string }>(text)
        return rows[0]!.version
      } finally {
        await client.end()
      }
    },
    catch: failed
  })
