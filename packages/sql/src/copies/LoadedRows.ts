/** Puts copied rows into an empty database. */
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Array as Arr, Data, Effect, Result } from "effect"
import { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import type { Parameter, Row } from "../Database.ts"
import * as Lives from "../Lives.ts"
import { corrupt, allTables, type Table } from "../Tables.ts"
import { copiedTables, type CopiedTable } from "./CopiedTables.ts"

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

/** A table of the database that is loaded into has rows. */
export class DatabaseFilled extends Data.TaggedError("DatabaseFilled")<{ readonly table: string }> {
  override get message() {
    return `the database is in use: ${this.table} has rows. Restore into an empty one`
  }
}

/** Fails with the first table that has a row. */
export const demandNoRows: Effect.Effect<void, DatabaseFilled | SqlError, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    for (const { name } of copiedTables) {
      // A new one of SQLite has a row in it already.
      if (name === lineOfProjects) continue
      const rows = yield* sql.unsafe(`SELECT 1 AS one FROM ${name} LIMIT 1`)
      if (rows.length > 0) return yield* new DatabaseFilled({ table: name })
    }
  }
)

/** Keeps others from writing until the transaction ends: on SQLite nobody else writes in it anyway. */
const lockTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const isPg = sql.onDialectOrElse({ pg: () => true, orElse: () => false })
  if (!isPg) return
  yield* sql.unsafe(`LOCK TABLE ${copiedTables.map(({ name }) => name).join(", ")} IN SHARE ROW EXCLUSIVE MODE`)
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

/** What stands among what is owed from the load on, until all that follows it is done. Behind it: of which copy. */
const mark = "end of a restore of "

/** The copy whose rows were loaded, and of which what follows that was not done; null for none. */
export const begunCopy: Effect.Effect<string | null, SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const owed = yield* sql<{ name: string }>`SELECT name FROM pawl_owed`
  return owed.find(({ name }) => name.startsWith(mark))?.name.slice(mark.length) ?? null
})

/** All that follows the load is done. */
export const finish = Effect.fnUntraced(function* (copy: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM pawl_owed WHERE name = ${mark + copy}`
})

/** Refuses a database in which a copy was put in part: what works on it would go on as if it were the copied one. */
export const demandWhole: Effect.Effect<void, LedgerUnavailable | SqlError, SqlClient.SqlClient> = Effect.flatMap(
  begunCopy,
  (copy) =>
    copy === null
      ? Effect.void
      : Effect.fail(
          new LedgerUnavailable({
            operation: "start",
            reason: `a restore was cut off here: give the same \`pawl restore\` once more (the backup whose manifest has the sha256 ${copy})`,
            lasting: true
          })
        )
)

/**
 * Does `loading` in one transaction in which every record may begin with the status that it has, and nobody else writes:
 * the database must still be empty. `copy` names what is loaded.
 */
export const inOneGo = <A, E, R>(copy: string, loading: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* lockTables
        yield* demandNoRows
        yield* Lives.allowAny
        yield* sql`DELETE FROM pawl_turn`
        const answer = yield* loading
        yield* mendLine
        yield* sql`INSERT INTO pawl_owed (name) VALUES (${mark + copy})`
        yield* Lives.remove(yield* Lives.surplus)
        return answer
      })
    )
  )
