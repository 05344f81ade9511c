/** How much waits, over SQL: counted by the database. */
import type { Backlog, CommandState } from "@pawl/core/telemetry/Backlog"
import { nowMillis } from "@pawl/core/primitives/Time"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { unavailable } from "./Failures.ts"

const queueQuery = `SELECT kind, CASE WHEN ready_at <= ? THEN 'ready' WHEN token IS NULL THEN 'waiting' ELSE 'leased' END AS state, count(*) AS n
  FROM pawl_command GROUP BY 1, 2 UNION ALL SELECT kind, 'dead' AS state, count(*) AS n FROM pawl_dead_letter GROUP BY kind`

/** A group's word before the colon, and its place, which stand in the record. */
const parts = {
  sqlite: {
    group: `json_extract(c.data, '$.group')`,
    consumer: `substr(json_extract(c.data, '$.group'), 1, instr(json_extract(c.data, '$.group') || ':', ':') - 1)`,
    sequence: `json_extract(c.data, '$.sequence')`
  },
  pg: {
    group: `c.data::json ->> 'group'`,
    consumer: `split_part(c.data::json ->> 'group', ':', 1)`,
    sequence: `(c.data::json ->> 'sequence')::bigint`
  }
} as const

const lagQuery = (dialect: keyof typeof parts): string =>
  `SELECT ${parts[dialect].consumer} AS consumer, count(*) AS groups_of, max(coalesce(s.last, 0) - ${parts[dialect].sequence}) AS events
  FROM pawl_consumer c LEFT JOIN pawl_sequence s ON s.project_id = c.project_id GROUP BY 1`

/** The groups whose place is before their Project's last event. */
export const behindQuery = (dialect: keyof typeof parts): string =>
  `SELECT c.project_id AS project_id, ${parts[dialect].group} AS name FROM pawl_consumer c
  JOIN pawl_sequence s ON s.project_id = c.project_id WHERE ${parts[dialect].sequence} < s.last`

/** `Backlog` over a database whose tables are there. */
export const make = (database: Database["Service"]): Backlog["Service"] => ({
  queue: Effect.flatMap(nowMillis, (now) => database.query({ sql: queueQuery, params: [now] })).pipe(
    Effect.map((rows) =>
      rows.map((row) => ({
        kind: String(row["kind"]),
        state: row["state"] as CommandState,
        count: Number(row["n"])
      }))
    ),
    Effect.catch(unavailable("count commands"))
  ),
  lag: database.query({ sql: lagQuery(database.dialect), params: [] }).pipe(
    Effect.map((rows) =>
      rows.map((row) => ({
        consumer: String(row["consumer"]),
        groups: Number(row["groups_of"]),
        events: Number(row["events"])
      }))
    ),
    Effect.catch(unavailable("read how far consumers are"))
  )
})
