/** Puts copied rows into an empty database. */
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Array as Arr, Effect, Result } from "effect"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import type { Parameter, Row } from "../Database.ts"
import * as Lives from "../Lives.ts"
import { corrupt, allTables, type Table } from "../Tables.ts"
import { copiedTables, type CopiedTable } from "./CopiedTables.ts"

type Loading<A> = Effect.Effect<A, LedgerUnavailable | SqlError, SqlClient.SqlClient>

/** Rows that one statement puts there: no database takes any number of parameters. */
export const rowsAtOnce = 200

/** The line of Projects. On SQLite the last place in it stands in a row of its own, `*`; Postgres has none. */
const lineOfProjects = "pawl_turn"

/** Puts that row there, or takes it away, as the database wants it. */
const mendLine = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const isPg = sql.onDialectOrElse({ pg: () => true, orElse: () => false })
  yield* isPg
    ? sql`DELETE FROM pawl_turn WHERE project_id = '*'`
    : sql`INSERT INTO pawl_turn (project_id, served) SELECT '*', coalesce(max(served), 0) FROM pawl_turn
        WHERE true ON CONFLICT (project_id) DO NOTHING`
})

/** The first table that has a row; null when all are empty. */
export const filledTable: Loading<string | null> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const { name } of copiedTables) {
    // A new one of SQLite has a row in it already.
    if (name === lineOfProjects) continue
    const rows = yield* sql.unsafe(`SELECT 1 AS one FROM ${name} LIMIT 1`)
    if (rows.length > 0) return name
  }
  return null
})

const tables = new Map<string, Table>(allTables.map((table) => [table.name, table]))

/** The columns of a record's row: those to look up by are made of it. */
const recordRow = (table: Table, row: Row, asText: boolean): Effect.Effect<Row, LedgerUnavailable> => {
  const record = table.decode(row["data"])
  if (Result.isFailure(record)) return Effect.fail(corrupt(table.name, String(row["id"])))
  const values = table.values(record.success)
  const told = (value: Parameter): Parameter => (asText && value !== null ? String(value) : value)
  return Effect.succeed({
    ...row,
    ...Object.fromEntries(table.columns.map((column, at) => [column, told(values[at] ?? null)]))
  })
}

/** Puts rows of a table there, at most `rowsAtOnce`. What they say beside the columns of this version is left out. */
export const load = Effect.fnUntraced(function* (copied: CopiedTable, rows: ReadonlyArray<Row>) {
  const sql = yield* SqlClient.SqlClient
  const isPg = sql.onDialectOrElse({ pg: () => true, orElse: () => false })
  const plain = rows.map((row) =>
    Object.fromEntries([...copied.texts, ...copied.numbers].map((name) => [name, row[name] ?? null]))
  )
  const table = tables.get(copied.name)
  const whole = table === undefined ? plain : yield* Effect.forEach(plain, (row) => recordRow(table, row, isPg))
  if (Arr.isReadonlyArrayNonEmpty(whole)) yield* sql`INSERT INTO ${sql(copied.name)} ${sql.insert(whole)}`
})

/** What stands among what is owed from the load on, until all that follows it is done. */
const mark = "end of a restore"

/** Whether rows were loaded, and what follows that was not done. */
export const isUnfinished: Loading<boolean> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`SELECT name FROM pawl_owed WHERE name = ${mark}`).length > 0
})

/** All that follows the load is done. */
export const finish: Loading<void> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM pawl_owed WHERE name = ${mark}`
})

/** Does `loading` in one transaction in which every record may begin with the status that it has. */
export const inOneGo = <A, E, R>(loading: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* Lives.allowAny
        yield* sql`DELETE FROM pawl_turn`
        const answer = yield* loading
        yield* mendLine
        yield* sql`INSERT INTO pawl_owed (name) VALUES (${mark})`
        yield* Lives.remove(yield* Lives.surplus)
        return answer
      })
    )
  )
