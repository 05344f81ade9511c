/** Daily counters over SQL. */
import { Effect } from "effect"
import type { DailyCounter } from "@pawl/core/bundle/DailyCounter"
import type { Database, Statement } from "./Database.ts"
import { unavailable } from "./Failures.ts"

const countedUp = (name: string, day: string, amount: number): Statement => ({
  sql: `INSERT INTO pawl_daily_counter (day, name, used) VALUES (?, ?, ?)
    ON CONFLICT (day, name) DO UPDATE SET used = pawl_daily_counter.used + excluded.used`,
  params: [day, name, amount]
})

/** `DailyCounter` over a database whose tables are there. */
export const make = (database: Database["Service"]): DailyCounter["Service"] => ({
  used: (name, day) =>
    database.query({ sql: "SELECT used FROM pawl_daily_counter WHERE day = ? AND name = ?", params: [day, name] }).pipe(
      Effect.map((rows) => Number(rows[0]?.["used"] ?? 0)),
      Effect.catch(unavailable("count"))
    ),
  usedBy: (prefix, day) =>
    database
      .query({
        sql: `SELECT name, used FROM pawl_daily_counter WHERE day = ? AND substr(name, 1, ${prefix.length}) = ?`,
        params: [day, prefix]
      })
      .pipe(
        Effect.map((rows) => new Map(rows.map((row) => [String(row["name"]), Number(row["used"])]))),
        Effect.catch(unavailable("count"))
      ),
  take: (name, day, max, also = []) =>
    max < 1
      ? Effect.succeed(false)
      : database
          .batch([
            {
              sql: `INSERT INTO pawl_daily_counter (day, name, used) VALUES (?, ?, 1)
                ON CONFLICT (day, name) DO UPDATE SET used = pawl_daily_counter.used + 1 WHERE pawl_daily_counter.used < ?`,
              params: [day, name, max],
              rows: 1
            },
            ...also.map((each) => countedUp(each, day, 1))
          ])
          .pipe(
            Effect.map((outcome) => outcome._tag === "Applied"),
            Effect.catch(unavailable("count"))
          ),
  add: (name, day, amount, also = []) =>
    database
      .batch([name, ...also].map((each) => countedUp(each, day, amount)))
      .pipe(Effect.asVoid, Effect.catch(unavailable("count")))
})
