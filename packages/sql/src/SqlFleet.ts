/** `Fleet` over SQL: a row per process. */
import { Effect } from "effect"
import { Limits } from "@pawl/core/primitives/Limits"
import { fromMillis, nowMillis, toMillis } from "@pawl/core/primitives/Time"
import { type Fleet, Outgrown, type SeenProcess } from "@pawl/core/work/Fleet"
import type { Database, Row } from "./Database.ts"
import { unavailable } from "./Failures.ts"
import { contractedQuery, lockQuery, ownShape, type Shape } from "./Shape.ts"

const seen = (row: Row): SeenProcess => ({
  id: String(row["id"]),
  version: String(row["version"]),
  roles: String(row["roles"]).split(",").filter(Boolean),
  startedAt: fromMillis(Number(row["started_at"])),
  seenAt: fromMillis(Number(row["seen_at"]))
})

/** Fails when the database lost what this program needs. Waits for a contraction that is under way. */
const notOutgrown = (database: Database["Service"], known: number) =>
  Effect.gen(function* () {
    const query = { sql: contractedQuery, params: [] }
    const turn = database.dialect === "pg" ? [{ sql: lockQuery, params: [] }] : []
    const outcome = yield* database.batch([...turn, query])
    const last = outcome._tag === "Applied" ? Number(outcome.answers.at(-1)?.[0]?.["last"]) : 0
    if (last > known) return yield* new Outgrown({ contraction: last, known })
  })

/**
 * `Fleet` over a database whose tables are there, by this program's clock. Each process stands in it with how far it
 * knows the shape; `contract` does what waits for the end of those that know less.
 */
export const make = (
  database: Database["Service"],
  contract: Fleet["Service"]["contract"],
  { contractions, expansions }: Shape = ownShape
): Fleet["Service"] => ({
  note: ({ id, roles, startedAt, version }) =>
    Effect.gen(function* () {
      const now = yield* nowMillis
      yield* database.query({
        sql: `INSERT INTO pawl_process (id, version, roles, started_at, seen_at, shape) VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET version = excluded.version, roles = excluded.roles, seen_at = excluded.seen_at`,
        params: [id, version, roles.join(","), toMillis(startedAt), now, expansions.length]
      })
      // Not in one transaction with it: two that come back after long would each wait for the other's row.
      yield* database.query({
        sql: "DELETE FROM pawl_process WHERE seen_at < ?",
        params: [now - Limits.processForgottenMs]
      })
      // After its row is there: a contraction either sees the row, or is seen.
      yield* notOutgrown(database, contractions.length)
    }).pipe(Effect.catchTag("SqlError", unavailable("note a process"))),
  leave: (id) =>
    database
      .query({ sql: "DELETE FROM pawl_process WHERE id = ?", params: [id] })
      .pipe(Effect.asVoid, Effect.catchTag("SqlError", unavailable("forget a process"))),
  leaveAll: database
    .query({ sql: "DELETE FROM pawl_process", params: [] })
    .pipe(Effect.asVoid, Effect.catchTag("SqlError", unavailable("forget processes"))),
  all: database.query({ sql: "SELECT * FROM pawl_process ORDER BY started_at, id", params: [] }).pipe(
    Effect.map((rows) => rows.map(seen)),
    Effect.catchTag("SqlError", unavailable("read processes"))
  ),
  contract
})
