/** App data and daily counters over SQL. */
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { type AppData, AppDataUnavailable } from "@pawl/core/app/AppData"
import { checkKey, checkListLimit, checkValue, tooManyKeys } from "@pawl/core/app/DataBounds"
import type { DailyCounter } from "@pawl/core/app/DailyCounter"
import { Limits } from "@pawl/core/primitives/Limits"
import { type Database, type Query, reasonOf, type Statement } from "./Database.ts"
import { unavailable } from "./Failures.ts"

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

/** A new key: counted in the same transaction, so that no race passes the most. */
const addKey = (store: ReadonlyArray<string>, key: string, value: string): ReadonlyArray<Statement> => [
  {
    sql: "INSERT INTO pawl_app_store (project_id, channel, keys) VALUES (?, ?, 0) ON CONFLICT DO NOTHING",
    params: store
  },
  {
    sql: "INSERT INTO pawl_app_data (project_id, channel, key, value) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
    params: [...store, key, value],
    rows: 1
  },
  {
    sql: `UPDATE pawl_app_store SET keys = keys + 1 WHERE ${thisStore} AND keys < ?`,
    params: [...store, Limits.appDataKeys],
    rows: 1
  }
]

export const make = (database: Database["Type"]): AppData["Type"] => {
  const replace = (store: ReadonlyArray<string>, key: string, value: string) =>
    Effect.map(
      database.batch([
        {
          sql: `UPDATE pawl_app_data SET value = ? WHERE ${thisStore} AND key = ?`,
          params: [value, ...store, key],
          rows: 1
        }
      ]),
      (outcome) => outcome._tag === "Applied"
    )
  const put: AppData["Type"]["put"] = (ref, key, value) =>
    Effect.gen(function* () {
      yield* checkKey(key)
      yield* checkValue(value)
      const store = [ref.project, ref.channel]
      // Another writer may add or remove the key between the two; then begin anew.
      while (!(yield* replace(store, key, value))) {
        const outcome = yield* database.batch(addKey(store, key, value))
        if (outcome._tag === "Applied") return
        if (outcome.index === 2) return yield* tooManyKeys
      }
    }).pipe(Effect.catchTag("SqlError", away))

  return {
    get: (ref, key) =>
      Effect.zipRight(
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
    remove: (ref, key) =>
      Effect.zipRight(
        checkKey(key),
        database.batch([
          {
            sql: `DELETE FROM pawl_app_data WHERE ${thisStore} AND key = ?`,
            params: [ref.project, ref.channel, key],
            rows: 1
          },
          { sql: `UPDATE pawl_app_store SET keys = keys - 1 WHERE ${thisStore}`, params: [ref.project, ref.channel] }
        ])
      ).pipe(Effect.asVoid, Effect.catchTag("SqlError", away)),
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
          { sql: `DELETE FROM pawl_app_data WHERE ${thisStore}`, params: [ref.project, ref.channel] },
          { sql: `DELETE FROM pawl_app_store WHERE ${thisStore}`, params: [ref.project, ref.channel] }
        ])
      ).pipe(Effect.asVoid, Effect.catchTag("SqlError", away))
  }
}

export const makeDailyCounter = (database: Database["Type"]): DailyCounter["Type"] => ({
  used: (name, day) =>
    database.query({ sql: "SELECT used FROM pawl_daily_counter WHERE day = ? AND name = ?", params: [day, name] }).pipe(
      Effect.map((rows) => Number(rows[0]?.["used"] ?? 0)),
      Effect.catchAll(unavailable("count"))
    ),
  take: (name, day, max) =>
    max < 1
      ? Effect.succeed(false)
      : database
          .batch([
            {
              sql: `INSERT INTO pawl_daily_counter (day, name, used) VALUES (?, ?, 1)
                ON CONFLICT (day, name) DO UPDATE SET used = pawl_daily_counter.used + 1 WHERE pawl_daily_counter.used < ?`,
              params: [day, name, max],
              rows: 1
            }
          ])
          .pipe(
            Effect.map((outcome) => outcome._tag === "Applied"),
            Effect.catchAll(unavailable("count"))
          ),
  add: (name, day, amount) =>
    database
      .query({
        sql: `INSERT INTO pawl_daily_counter (day, name, used) VALUES (?, ?, ?)
          ON CONFLICT (day, name) DO UPDATE SET used = pawl_daily_counter.used + excluded.used`,
        params: [day, name, amount]
      })
      .pipe(Effect.asVoid, Effect.catchAll(unavailable("count")))
})
