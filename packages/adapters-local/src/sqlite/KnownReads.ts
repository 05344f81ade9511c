/**
 * What queries answered, for as long as nobody has written: whoever asks the same again gets the same rows without
 * SQLite. Nothing here can be out of date: each write of this process begins anew, and before an answer is taken SQLite
 * is asked whether another process has committed since.
 */
import type { Row } from "@pawl/sql/Database"
import { LocalLimits } from "../LocalLimits.ts"

/** How often something was written by this process, to whichever file: two connections to one file may share a process. */
let writes = 0

/** To be called before each statement that may write, and before each COMMIT. */
export const wrote = (): void => void writes++

/** The answers of one connection. */
export interface KnownReads {
  /** The rows of a query, which reads; `read` answers them when they are not known. */
  readonly rows: (sql: string, params: ReadonlyArray<unknown>, read: () => ReadonlyArray<Row>) => ReadonlyArray<Row>
}

/** Roughly what rows take, in characters. */
const sizeOf = (rows: ReadonlyArray<Row>): number => {
  let chars = 0
  for (const row of rows) for (const value of Object.values(row)) chars += typeof value === "string" ? value.length : 1
  return chars
}

/** `version` answers another value once another connection has committed. */
export const make = (version: () => unknown): KnownReads => {
  let known = new Map<string, ReadonlyArray<Row>>()
  let chars = 0
  let writesSeen = writes
  let versionSeen = version()
  let isFresh = false
  const forget = (): void => {
    known = new Map()
    chars = 0
  }
  const look = (): void => {
    if (writesSeen !== writes) {
      writesSeen = writes
      forget()
    }
    // Until the thread is given back nothing of another process can have come here.
    if (isFresh) return
    isFresh = true
    queueMicrotask(() => void (isFresh = false))
    const now = version()
    if (now === versionSeen) return
    versionSeen = now
    forget()
  }
  const keep = (key: string, rows: ReadonlyArray<Row>): void => {
    const more = key.length + sizeOf(rows)
    if (more > LocalLimits.knownReadChars) return
    if (chars + more > LocalLimits.knownReadsChars) forget()
    chars += more
    known.set(key, rows)
  }
  return {
    rows: (sql, params, read) => {
      look()
      const key = sql + JSON.stringify(params)
      const before = known.get(key)
      if (before !== undefined) return before
      const rows = read()
      keep(key, rows)
      return rows
    }
  }
}
