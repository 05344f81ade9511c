/** The rows of a database file that is only looked at: a copy of one, or one that a server is writing meanwhile. */
import Sqlite from "better-sqlite3"

/** A database that is only read. */
export interface ReadOnlyRows {
  /** The rows that a query answers. Throws what SQLite says, also for a table that there is not. */
  readonly all: (
    sql: string,
    ...params: ReadonlyArray<string | number>
  ) => ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly close: () => void
}

/** Opens a file; all that is read is of the instant of the first query. Throws for one that is not there, or is no database. */
export const openReadOnly = (filename: string): ReadOnlyRows => {
  const db = new Sqlite(filename, { readonly: true })
  db.prepare("BEGIN").run()
  return { all: (sql, ...params) => db.prepare(sql).all(...params), close: () => db.close() }
}
