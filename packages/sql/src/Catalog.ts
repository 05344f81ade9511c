/** What a database holds already, asked once. What is there is not made again: its locks would stand in the way of others. */
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Effect } from "effect"

/** The shape of a database. */
export interface Catalog {
  /** Tables, indexes and triggers by their names. */
  readonly names: ReadonlySet<string>
  /** The columns of each table. */
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>
}

const namesIn = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({
    pg: () => sql<{
      name: string
    }>`SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace
      UNION ALL SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid WHERE relnamespace = current_schema()::regnamespace`,
    orElse: () => sql<{ name: string }>`SELECT name FROM sqlite_master`
  })

const columnsIn = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({
    pg: () => sql<{ name: string; column: string }>`SELECT relname AS name, attname AS "column" FROM pg_attribute
      JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = current_schema()::regnamespace AND attnum > 0 AND NOT attisdropped`,
    orElse: () => sql<{ name: string; column: string }>`SELECT t.name AS name, c.name AS "column"
      FROM sqlite_master t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'`
  })

/** What the database of this client holds, asked in its own dialect. */
export const read: Effect.Effect<Catalog, SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = new Map<string, Set<string>>()
  for (const { column, name } of yield* columnsIn(sql)) {
    const known = columns.get(name) ?? new Set()
    columns.set(name, known.add(column))
  }
  return { names: new Set((yield* namesIn(sql)).map(({ name }) => name)), columns }
})
