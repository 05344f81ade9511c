/**
 * What apps printed, over SQL. A row of `pawl_app_log_end` says how far a Project's sequence is; it stays when the lines
 * are wiped, so that a reader who follows misses nothing after.
 */
import { type AppLogs, AppLogLine, linesOf, type NewLogLine } from "@pawl/core/app/AppLogs"
import { following } from "@pawl/core/ledger/SequenceStream"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { appLogsOf, type Signals } from "@pawl/core/ledger/Signals"
import { Limits } from "@pawl/core/primitives/Limits"
import { fromMillis, toMillis } from "@pawl/core/primitives/Time"
import { Effect, Schema, Struct } from "effect"
import type { Database, Query, Row, Statement } from "./Database.ts"
import { unavailable } from "./Failures.ts"
import { corrupt } from "./Tables.ts"

/** Text goes as JSON: Postgres keeps no NUL in a text. */
const Kept = Schema.fromJsonString(AppLogLine.mapFields(Struct.pick(["version", "level", "source", "text"])))
const decodeKept = Schema.decodeUnknownEffect(Kept)

const lineOf = (project: string, row: Row): Effect.Effect<AppLogLine, LedgerUnavailable> =>
  decodeKept(row["data"]).pipe(
    Effect.map((kept) => ({
      ...kept,
      sequence: Number(row["sequence"]),
      time: fromMillis(Number(row["at"])),
      channel: String(row["channel"])
    })),
    Effect.mapError(() => corrupt("pawl_app_log", `${project}/${String(row["sequence"])}`))
  )

const last = "(SELECT last FROM pawl_app_log_end WHERE project_id = ?)"

const appending = (project: string, lines: ReadonlyArray<NewLogLine>): ReadonlyArray<Statement> => [
  {
    sql: `INSERT INTO pawl_app_log_end (project_id, last) VALUES (?, ?)
      ON CONFLICT (project_id) DO UPDATE SET last = pawl_app_log_end.last + excluded.last`,
    params: [project, lines.length]
  },
  ...lines.map(({ channel, level, source, text, time, version }, n) => ({
    sql: `INSERT INTO pawl_app_log (project_id, sequence, at, channel, data) VALUES (?, ${last} - ${lines.length - 1 - n}, ?, ?, ?)`,
    params: [project, project, toMillis(time), channel, JSON.stringify({ version, level, source, text })]
  })),
  {
    sql: `DELETE FROM pawl_app_log WHERE project_id = ? AND sequence <= ${last} - ${Limits.appLogLines}`,
    params: [project, project]
  }
]

const reading = (
  project: string,
  after: number | undefined,
  channel: string | undefined,
  limit: number | undefined
): Query => ({
  sql: `SELECT sequence, at, channel, data FROM pawl_app_log WHERE project_id = ? AND sequence > ?${channel === undefined ? "" : " AND channel = ?"}
    ORDER BY sequence ${after === undefined ? "DESC" : "ASC"} LIMIT ${linesOf(limit)}`,
  params: [project, after ?? 0, ...(channel === undefined ? [] : [channel])]
})

/** `AppLogs` over a database whose tables are there. `signals` wake those who follow. */
export const make = (database: Database["Service"], signals: Signals): AppLogs["Service"] => {
  const read: AppLogs["Service"]["read"] = (project, { after, channel, limit }) =>
    database.query(reading(project, after, channel, limit)).pipe(
      Effect.catchTag("SqlError", unavailable("read what an app printed")),
      Effect.flatMap((rows) =>
        Effect.forEach(after === undefined ? rows.toReversed() : rows, (row) => lineOf(project, row))
      )
    )
  return {
    append: (project, lines) =>
      lines.length === 0
        ? Effect.void
        : database.batch(appending(project, lines)).pipe(
            Effect.catchTag("SqlError", unavailable("keep what an app printed")),
            Effect.map(() => signals.notify(appLogsOf(project)))
          ),
    read,
    follow: (project, { after, channel }) =>
      following(
        {
          read: (from) => read(project, { after: from, ...(channel === undefined ? {} : { channel }) }),
          signals,
          topic: appLogsOf(project),
          pollMs: Limits.storePollMs
        },
        after
      ),
    wipe: (project) =>
      database
        .query({ sql: "DELETE FROM pawl_app_log WHERE project_id = ?", params: [project] })
        .pipe(Effect.asVoid, Effect.catchTag("SqlError", unavailable("wipe what an app printed")))
  }
}
