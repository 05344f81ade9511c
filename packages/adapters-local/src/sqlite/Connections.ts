/** One open SQLite file and its prepared statements. */
import type { Row } from "@pawl/sql/Database"
import Sqlite, { type Statement } from "better-sqlite3"
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
  /** How long a statement waits for another process that writes, in ms. Default 5,000. The thread waits with it. */
  readonly busyTimeoutMs?: number
}

/** How many statements are kept; the one that was used longest ago goes first. */
const statementsKept = 512

/**
 * After how many pages (of 4 KiB) in the log they are brought into the database. A commit writes about 25, many of
 * them again and again: with SQLite's own 1,000 every 40th commit would wait for two more syncs. 16 MiB.
 */
const walPages = 4000
/** A log that grew beyond this while somebody read is cut back to it, in bytes. */
const walKeptBytes = 32 * 1024 * 1024

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
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}

/** Whether a statement does nothing but read. */
export const reads = ({ reader, readonly }: Statement): boolean => reader && readonly

/** Opens or makes the file, readable by its owner alone, in WAL mode with full syncs. Throws what SQLite throws. */
export const open = (options: Options): Opened => {
  const timeout = options.busyTimeoutMs ?? 5000
  if (options.filename !== ":memory:") makePrivate(options.filename)
  const db = new Sqlite(options.filename, { timeout })
  switchToWal(db, timeout)
  db.pragma("synchronous = FULL")
  // A savepoint keeps what it would have to restore: in a file, it would cost as much as the log.
  db.pragma("temp_store = MEMORY")
  db.pragma(`wal_autocheckpoint = ${walPages}`)
  db.pragma(`journal_size_limit = ${walKeptBytes}`)
  const statements = new Map<string, Statement>()
  const prepare = (sql: string): Statement => {
    const known = statements.get(sql)
    const statement = known ?? db.prepare(sql)
    // A Map goes by insertion: put again, it is the newest.
    if (known === undefined || statements.size > statementsKept / 2) {
      statements.delete(sql)
      statements.set(sql, statement)
    }
    if (statements.size > statementsKept) for (const oldest of statements.keys()) if (statements.delete(oldest)) break
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
