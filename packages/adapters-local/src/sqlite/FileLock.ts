/** SQLite's locks on a file, as locks among processes: the kernel drops them when their holder dies, however it dies. */
import Sqlite from "better-sqlite3"
import { makePrivate } from "./PrivateFile.ts"

/** Closing it gives the lock up. */
export type FileLock = Pick<Sqlite, "close">

const isBusy = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" && cause.code.startsWith("SQLITE_BUSY")

const take = (path: string, lock: (db: Sqlite) => void): FileLock | null => {
  makePrivate(path)
  const db = new Sqlite(path, { timeout: 0 })
  try {
    lock(db)
    return db
  } catch (cause) {
    db.close()
    if (isBusy(cause)) return null
    throw cause
  }
}

/** The lock for one; null while anybody holds the file. Makes the file. Throws what the file system says. */
export const takeExclusive = (path: string): FileLock | null =>
  take(path, (db) => void db.prepare("BEGIN EXCLUSIVE").run())

/** The lock for many; null while one holds the file exclusively. */
export const takeShared = (path: string): FileLock | null =>
  take(path, (db) => {
    db.prepare("BEGIN").run()
    db.prepare("SELECT name FROM sqlite_master").all()
  })
