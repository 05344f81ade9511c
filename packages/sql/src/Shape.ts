/** How far the shape of a database is, and the turn in which it is changed. */
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Effect } from "effect"
import { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { type Contraction, contractions } from "./Contractions.ts"
import { expansions, type Step } from "./Expansions.ts"

/** What a program knows of the shape: every step that a database of its version has gone. */
export interface Shape {
  readonly expansions: ReadonlyArray<Step>
  readonly contractions: ReadonlyArray<Contraction>
}

/** The shape of this version. */
export const ownShape: Shape = { expansions, contractions }

/** One number stands for Pawl: whoever changes the shape of a database of Postgres has its turn. */
const turn = 7_029_573

/** Has the turn to change the shape until the transaction ends. SQLite has one writer anyway. */
export const lockQuery = `SELECT pg_advisory_xact_lock(${turn})`

/** The same in a transaction that takes as long as it takes, and waits for as long as others do. */
export const takeTurn: Effect.Effect<void, SqlError, SqlClient.SqlClient> = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.forEach(
        ["SET LOCAL statement_timeout = 0", "SET LOCAL lock_timeout = 0", lockQuery],
        (statement) => sql.unsafe(statement),
        { discard: true }
      ),
    orElse: () => Effect.void
  })
)

/** The last expansion that a database has gone; 0 for an empty one. Its table of steps must be there. */
export const expanded = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ last: number }>`SELECT coalesce(max(version), 0) AS last FROM pawl_migration`
  return Number(row?.last ?? 0)
})

/** The query for the last contraction that a database has gone. */
export const contractedQuery = "SELECT coalesce(max(number), 0) AS last FROM pawl_contraction"

/** The last contraction that a database has gone. */
export const contracted = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ last: number }>(contractedQuery)
  return Number(row?.last ?? 0)
})

/** Fails when the database has lost what a program that knows `known` contractions needs. */
export const demandNotOutgrown = (last: number, known: number): Effect.Effect<void, LedgerUnavailable> =>
  last <= known
    ? Effect.void
    : Effect.fail(
        new LedgerUnavailable({
          operation: "migrate",
          reason: `the database has lost what this version needs (its contraction ${last}; this program knows ${known}): run the newer program`,
          lasting: true
        })
      )
