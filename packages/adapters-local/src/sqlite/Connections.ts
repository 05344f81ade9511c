/** One open SQLite file and its prepared statements. */
import type { Row } from "@pawl/sql/Database"
import Sqlite, { type Statement } from "better-sqlite3"
import { LocalLimits } from "../LocalLimits.ts"
import { wrote } from "./KnownReads.ts"
import { makePrivate } from "./PrivateFile.ts"

/** A connection that is open; who opened it closes `db`. */
export interface Opened {
  readonly db: InstanceType<typeof Sqlite>
  /** The prepared statement of a text, which is kept for the next time. */
  readonly prepare: (sql: string) => Statement
}

/** Which file, and how patient. */
export interface Options {
  /** Path of the database file; its folder must exist. */
  readonly filename: string
  /** How long a statement waits for another process that writes, in ms, and its thread too. Else `LocalLimits.sqliteBusyMs`. */
  readonly busyTimeoutMs?: number
}

const isBusy = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" && cause.code.startsWith("SQLITE_BUSY")

/** SQLite does not wait for its busy timeout when a new file is switched to WAL: processes that start at once do it here. */
const switchToWal = (db: Opened["db"], timeoutMs: number): void => {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    try {
      db.pragma("journal_mode = WAL")
      return
    } catch (cause) {
      if (!isBusy(cause) || performance.now() > deadline) throw cause
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LocalLimits.sqliteLookMs)
    }
  }
}

/** Whether a statement does nothing but read. */
export const reads = ({ reader, readonly }: Statement): boolean => reader && readonly

/** Opens or makes the file, readable by its owner alone, in WAL mode with full syncs. Throws what SQLite throws. */
export const open = (options: Options): Opened => {
  const timeout = options.busyTimeoutMs ?? LocalLimits.sqliteBusyMs
  if (options.filename !== ":memory:") makePrivate(options.filename)
  const db = new Sqlite(options.filename, { timeout })
  switchToWal(db, timeout)
  db.pragma("synchronous = FULL")
  // A savepoint keeps what it would have to restore: in a file, it would cost as much as the log.
  db.pragma("temp_store = MEMORY")
  db.pragma(`wal_autocheckpoint = ${LocalLimits.sqliteLogPages}`)
  db.pragma(`journal_size_limit = ${LocalLimits.sqliteLogBytes}`)
  const statements = new Map<string, Statement>()
  const prepare = (sql: string): Statement => {
    const known = statements.get(sql)
    const statement = known ?? db.prepare(sql)
    // A Map goes by insertion: put again, it is the newest.
    if (known === undefined || statements.size > LocalLimits.sqliteStatements / 2) {
      statements.delete(sql)
      statements.set(sql, statement)
    }
    if (statements.size > LocalLimits.sqliteStatements)
      for (const oldest of statements.keys()) if (statements.delete(oldest)) break
    if (!reads(statement)) wrote()
    return statement
  }
  return { db, prepare }
}

/** Runs a statement: the rows that it answers, and their number or that of the rows it changed. */
export const rowsOf = (
  statement: Statement,
  params: ReadonlyArray<unknown>
): { readonly rows: ReadonlyArray<Row>; readonly count: number } => {
  if (!statement.reader) return { rows: [], count: statement.run(...params).changes }
  const rows = statement.all(...params)
  return { rows, count: rows.length }
}

/** Ends a transaction that is still open. SQLite may have ended it by itself, as it does when the disk is full. */
export const rollBack = ({ db, prepare }: Opened): void => {
  if (db.inTransaction) prepare("ROLLBACK").run()
}
