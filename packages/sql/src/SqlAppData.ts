/** App data over SQL. */
import type { SqlError } from "effect/sql/SqlError"
import { Effect } from "effect"
import { type AppData, AppDataUnavailable, type DataStoreRef } from "@pawl/core/app/AppData"
import { checkKey, checkListLimit, checkValue, storeGone, tooManyKeys } from "@pawl/core/app/DataBounds"
import { pointerKey } from "@pawl/core/model/Entities"
import { Limits } from "@pawl/core/primitives/Limits"
import { type Database, type Query, reasonOf, type Statement } from "./Database.ts"

const away = (error: SqlError) => Effect.fail(new AppDataUnavailable({ reason: reasonOf(error) }))
const thisStore = "project_id = ? AND channel = ?"

/** The least text that is after every text with this prefix; null when there is none. */
const afterAll = (prefix: string): string | null => {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!)
  while (points.length > 0) {
    const last = points.pop()!
    if (last === 0x10ffff) continue
    // Surrogates are no characters: after U+D7FF comes U+E000.
    return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
  }
  return null
}

const listQuery = (store: ReadonlyArray<string>, prefix: string, most: number): Query => {
  const end = afterAll(prefix)
  return {
    sql: `SELECT key FROM pawl_app_data WHERE ${thisStore} AND key >= ?${end === null ? "" : " AND key < ?"} ORDER BY key LIMIT ${most + 1}`,
    params: [...store, prefix, ...(end === null ? [] : [end])]
  }
}

/**
 * Holds the store's row until the batch ends. On Postgres, what a statement after it reads is what was committed by
 * then: a write that comes before a wipe is seen by it, and one that comes after it sees what was removed.
 */
const holdStore = (store: ReadonlyArray<string>): Statement => ({
  sql: `INSERT INTO pawl_app_store (project_id, channel, keys) VALUES (?, ?, 0)
    ON CONFLICT (project_id, channel) DO UPDATE SET keys = pawl_app_store.keys`,
  params: store
})

/** True while the pointer row that the writer was started for is there, and neither it nor the app is removed. */
type Open = (ref: DataStoreRef) => Query

const makeOpen = (dialect: Database["Service"]["dialect"]): Open => {
  const member = (name: string) => (dialect === "pg" ? `(data::jsonb ->> '${name}')` : `(data ->> '${name}')`)
  const serving = `SELECT 1 FROM pawl_pointer WHERE id = ? AND "status" <> 'removed'`
  const sql = `EXISTS (${serving} AND CAST(${member("incarnation")} AS INTEGER) = ?)
    AND EXISTS (${serving} AND COALESCE(CAST(${member("leftovers")} AS TEXT), '') NOT IN ('1', 'true'))`
  return ({ project, channel, incarnation }) =>
    incarnation === undefined
      ? { sql: "1 = 1", params: [] }
      : { sql, params: [pointerKey(project, channel), incarnation, pointerKey(project, "production")] }
}

const stillOpen = ({ sql, params }: Query): Query => ({ sql: `SELECT 1 AS open WHERE ${sql}`, params })

/** A new key: counted in the same transaction, so that no race passes the most. */
const addKey = (store: ReadonlyArray<string>, key: string, value: string, open: Query): ReadonlyArray<Statement> => [
  holdStore(store),
  {
    sql: `INSERT INTO pawl_app_data (project_id, channel, key, value) SELECT ?, ?, ?, ? WHERE ${open.sql} ON CONFLICT DO NOTHING`,
    params: [...store, key, value, ...open.params],
    rows: 1,
    otherwise: stillOpen(open)
  },
  {
    sql: `UPDATE pawl_app_store SET keys = keys + 1 WHERE ${thisStore} AND keys < ?`,
    params: [...store, Limits.appDataKeys],
    rows: 1
  }
]

/** The store's row first, as everyone takes it: so that no two wait for each other, and the count stays true. */
const removeKey = (store: ReadonlyArray<string>, key: string, open: Query): ReadonlyArray<Statement> => [
  holdStore(store),
  {
    sql: `DELETE FROM pawl_app_data WHERE ${thisStore} AND key = ? AND ${open.sql}`,
    params: [...store, key, ...open.params],
    rows: 1,
    otherwise: stillOpen(open)
  },
  { sql: `UPDATE pawl_app_store SET keys = keys - 1 WHERE ${thisStore}`, params: store }
]

/** `AppData` over a database whose tables are there. */
export const make = (database: Database["Service"]): AppData["Service"] => {
  const openOf = makeOpen(database.dialect)
  const replace = (store: ReadonlyArray<string>, key: string, value: string, open: Query) =>
    Effect.map(
      database.batch([
        {
          sql: `UPDATE pawl_app_data SET value = ? WHERE ${thisStore} AND key = ? AND ${open.sql}`,
          params: [value, ...store, key, ...open.params],
          rows: 1
        }
      ]),
      (outcome) => outcome._tag === "Applied"
    )
  const put: AppData["Service"]["put"] = (ref, key, value) =>
    Effect.gen(function* () {
      yield* checkKey(key)
      yield* checkValue(value)
      const store = [ref.project, ref.channel]
      const open = openOf(ref)
      // Another writer may add or remove the key between the two; then begin anew.
      while (!(yield* replace(store, key, value, open))) {
        const outcome = yield* database.batch(addKey(store, key, value, open))
        if (outcome._tag === "Applied") return
        if (outcome.index === 2) return yield* tooManyKeys
        if (outcome.rows.length === 0) return yield* storeGone
      }
    }).pipe(Effect.catchTag("SqlError", away))
  const remove: AppData["Service"]["remove"] = (ref, key) =>
    Effect.gen(function* () {
      yield* checkKey(key)
      const outcome = yield* database.batch(removeKey([ref.project, ref.channel], key, openOf(ref)))
      if (outcome._tag === "Missed" && outcome.rows.length === 0) return yield* storeGone
    }).pipe(Effect.catchTag("SqlError", away))

  return {
    get: (ref, key) =>
      Effect.andThen(
        checkKey(key),
        database.query({
          sql: `SELECT value FROM pawl_app_data WHERE ${thisStore} AND key = ?`,
          params: [ref.project, ref.channel, key]
        })
      ).pipe(
        Effect.map(([row]) => (row === undefined ? null : String(row["value"]))),
        Effect.catchTag("SqlError", away)
      ),
    put,
    remove,
    list: (ref, { limit, prefix = "" }) =>
      Effect.gen(function* () {
        yield* checkKey(prefix)
        const most = yield* checkListLimit(limit)
        const rows = yield* database.query(listQuery([ref.project, ref.channel], prefix, most))
        return { keys: rows.slice(0, most).map((row) => ({ name: String(row["key"]) })), complete: rows.length <= most }
      }).pipe(Effect.catchTag("SqlError", away)),
    wipe: (ref) =>
      Effect.suspend(() =>
        database.batch([
          holdStore([ref.project, ref.channel]),
          { sql: `DELETE FROM pawl_app_data WHERE ${thisStore}`, params: [ref.project, ref.channel] },
          { sql: `DELETE FROM pawl_app_store WHERE ${thisStore}`, params: [ref.project, ref.channel] }
        ])
      ).pipe(Effect.asVoid, Effect.catchTag("SqlError", away))
  }
}
