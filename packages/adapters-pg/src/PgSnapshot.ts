/** A schema of Postgres as it was at one moment, read on a connection of its own while others write. */
import { type LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { nowMillis } from "@pawl/core/primitives/Time"
import type { Row } from "@pawl/sql/Database"
import { unavailable } from "@pawl/sql/Failures"
import type { Snapshot } from "@pawl/sql/copies/Snapshot"
import { Effect, type Scope, Stream } from "effect"
import Pg from "pg"
import { PgLimits } from "./PgLimits.ts"
import { failed, type Options, settings } from "./PgPool.ts"

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, LedgerUnavailable> =>
  Effect.tryPromise({ try: work, catch: failed }).pipe(Effect.catchTag("SqlError", unavailable("read a snapshot")))

const connected = (options: Options) =>
  Effect.acquireRelease(
    attempt(async () => {
      // It sits between pages for as long as where they go to needs.
      const client = new Pg.Client({ ...settings(options), idle_in_transaction_session_timeout: 0 })
      client.on("error", () => undefined)
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end().catch(() => undefined))
  )

/** Begins with the moment of this call, and ends with the scope. */
export const make = (options: Options): Effect.Effect<Snapshot, LedgerUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const client = yield* connected(options)
    const ask = (sql: string) => attempt(async () => (await client.query<Record<string, unknown>>(sql)).rows)
    yield* ask("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    // The moment is that of the first statement.
    yield* ask("SELECT 1")
    const page: Effect.Effect<ReadonlyArray<Row>, LedgerUnavailable> = ask(
      `FETCH ${PgLimits.snapshotRows} FROM pawl_snapshot`
    )
    return {
      atMs: yield* nowMillis,
      pages: (sql) =>
        Stream.unwrap(
          Effect.as(
            ask(`DECLARE pawl_snapshot NO SCROLL CURSOR FOR ${sql}`),
            Stream.fromEffectRepeat(page).pipe(
              Stream.takeWhile((rows) => rows.length > 0),
              Stream.ensuring(Effect.ignore(ask("CLOSE pawl_snapshot")))
            )
          )
        )
    }
  })
