/** The columns that records are looked up by: added when a version brings one, and filled from the records. */
import * as SqlClient from "effect/sql/SqlClient"
import { Effect, Result } from "effect"
import { columnType } from "./RecordTables.ts"
import { allTables, corrupt, quoted, type Table } from "./Tables.ts"

const rowsAtOnce = 500

/** Writes the values of columns anew where a row has others. */
const fill = Effect.fnUntraced(function* ({ decode, entity, name }: Table, columns: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const kept = columns.map(quoted).join(", ")
  let position = 0
  while (true) {
    const rows = yield* sql.unsafe<Readonly<Record<string, unknown>> & { position: number; id: string; data: string }>(
      `SELECT position, id, data, ${kept} FROM ${name} WHERE position > ${position} ORDER BY position LIMIT ${rowsAtOnce}`
    )
    for (const row of rows) {
      const record = decode(row.data)
      if (Result.isFailure(record)) return yield* corrupt(name, row.id)
      for (const column of columns) {
        const value = entity.columns[column]!(record.success)
        // Postgres keeps numbers as text here.
        if (String(row[column]) !== String(value))
          yield* sql`UPDATE ${sql(name)} SET ${sql(column)} = ${value} WHERE position = ${row.position}`
      }
      position = Number(row.position)
    }
    if (rows.length < rowsAtOnce) return
  }
})

const owed = (table: string, column: string): string => `fill ${table} ${column}`

/**
 * Adds the columns of a table that are not `present`, and fills them. An older program that writes beside this one knows
 * nothing of them: it is owed that they are filled once more when none runs any more.
 */
export const add = Effect.fnUntraced(function* (table: Table, present: ReadonlySet<string> | undefined) {
  const sql = yield* SqlClient.SqlClient
  const added = table.columns.filter((column) => present?.has(column) === false)
  if (added.length === 0) return
  for (const column of added) {
    yield* sql.unsafe(`ALTER TABLE ${table.name} ADD COLUMN ${quoted(column)} ${columnType(sql)}`)
    yield* sql`INSERT INTO pawl_owed (name) VALUES (${owed(table.name, column)}) ON CONFLICT (name) DO NOTHING`
  }
  yield* fill(table, added)
})

/** A table and the columns of it that are to be filled once more. */
export interface Unfilled {
  readonly table: Table
  readonly columns: ReadonlyArray<string>
}

/** What is to be filled once more. */
export const unfilled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const names = new Set((yield* sql<{ name: string }>`SELECT name FROM pawl_owed`).map(({ name }) => name))
  return allTables.flatMap((table): ReadonlyArray<Unfilled> => {
    const columns = table.columns.filter((column) => names.has(owed(table.name, column)))
    return columns.length === 0 ? [] : [{ table, columns }]
  })
})

/** Fills columns once more, and owes it no longer. */
export const fillAgain = Effect.fnUntraced(function* ({ columns, table }: Unfilled) {
  const sql = yield* SqlClient.SqlClient
  yield* fill(table, columns)
  for (const column of columns) yield* sql`DELETE FROM pawl_owed WHERE name = ${owed(table.name, column)}`
})
