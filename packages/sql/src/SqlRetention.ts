/** Retention over SQL, in small transactions, so that nobody waits long for the writer. */
import type { SqlError } from "effect/sql/SqlError"
import { Effect } from "effect"
import { eventDays, type Retention } from "@pawl/core/ledger/Retention"
import { Limits } from "@pawl/core/primitives/Limits"
import { dayMs, fromMillis, nowMillis, toMillis } from "@pawl/core/primitives/Time"
import type { Database, Query } from "./Database.ts"
import { unavailable } from "./Failures.ts"

/** `Retention` over a database whose tables are there. */
export const make = (database: Database["Service"]): Retention["Service"] => {
  /** Deletes in portions until one is not full; the statement answers the rows that it deleted. */
  const drain = Effect.fnUntraced(function* (portion: Query): Effect.fn.Return<number, SqlError> {
    for (let total = 0; ;) {
      const rows = yield* database.query(portion)
      total += rows.length
      if (rows.length < Limits.retentionRows) return total
    }
  })

  const expire = Effect.fnUntraced(function* (projectId: string, oldest: number, last: number, from: number) {
    const [kept] = yield* database.query({
      sql: "SELECT sequence FROM pawl_event WHERE project_id = ? AND at >= ? ORDER BY sequence LIMIT 1",
      params: [projectId, from]
    })
    const end = kept === undefined ? last + 1 : Number(kept["sequence"])
    for (let next = oldest; next < end;) {
      next = Math.min(next + Limits.retentionRows, end)
      yield* database.batch([
        { sql: "DELETE FROM pawl_event WHERE project_id = ? AND sequence < ?", params: [projectId, next] },
        // Another sweep may have gone further since this one has read: what is gone stays told as gone.
        {
          sql: "UPDATE pawl_sequence SET oldest = ? WHERE project_id = ? AND oldest < ?",
          params: [next, projectId, next]
        }
      ])
    }
    return Math.max(0, end - oldest)
  })

  return {
    forget: (projectId, before) =>
      Effect.gen(function* () {
        const [row] = yield* database.query({
          sql: "SELECT last, oldest FROM pawl_sequence WHERE project_id = ?",
          params: [projectId]
        })
        return row === undefined
          ? 0
          : yield* expire(projectId, Number(row["oldest"]), Number(row["last"]), toMillis(before))
      }).pipe(Effect.catchTag("SqlError", unavailable("forget")), Effect.withSpan("Retention.forget")),
    sweep: Effect.gen(function* () {
      const now = yield* nowMillis
      const days = yield* eventDays
      const countersFrom = now - Limits.counterDays * dayMs
      const sequences = yield* database.query({
        sql: "SELECT project_id, last, oldest FROM pawl_sequence WHERE oldest <= last",
        params: []
      })
      let events = 0
      for (const row of sequences)
        events += yield* expire(
          String(row["project_id"]),
          Number(row["oldest"]),
          Number(row["last"]),
          now - days * dayMs
        )
      const counters = yield* drain({
        sql: `DELETE FROM pawl_daily_counter WHERE (day, name) IN (SELECT day, name FROM pawl_daily_counter WHERE day < ? LIMIT ${Limits.retentionRows}) RETURNING day`,
        params: [fromMillis(countersFrom).slice(0, 10)]
      })
      return { events, counters }
    }).pipe(Effect.catchTag("SqlError", unavailable("sweep")), Effect.withSpan("Retention.sweep"))
  }
}
