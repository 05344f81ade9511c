/** The event log over SQL. Commits of this process wake a follower at once; those of others are polled for. */
import { Effect, Result, Schema } from "effect"
import { Event } from "@pawl/core/model/Event"
import { type EventLog, EventsExpired } from "@pawl/core/event/EventLog"
import { listening } from "@pawl/core/event/RoutingNotices"
import { following } from "@pawl/core/ledger/SequenceStream"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { eventsOf, type Signals } from "@pawl/core/ledger/Signals"
import { Limits } from "@pawl/core/primitives/Limits"
import { fromMillis } from "@pawl/core/primitives/Time"
import type { Database, Row } from "./Database.ts"
import { unavailable } from "./Failures.ts"
import { behindQuery } from "./SqlBacklog.ts"
import { parsed } from "./SqlRecords.ts"
import { corrupt } from "./Tables.ts"

const decodeEvent = Schema.decodeUnknownResult(Event)

const eventOf = (projectId: string, row: Row): Result.Result<Event, LedgerUnavailable> => {
  const key = `${projectId}/${String(row["sequence"])}`
  return Result.flatMap(parsed("pawl_event", key, row["data"]), (kept) =>
    Result.mapError(
      decodeEvent({
        ...(typeof kept === "object" ? kept : {}),
        specversion: "1.0",
        source: `/projects/${projectId}`,
        time: fromMillis(Number(row["at"])),
        sequence: Number(row["sequence"])
      }),
      () => corrupt("pawl_event", key)
    )
  )
}

/** `EventLog` over a database whose tables are there. `signals` wake those who follow. */
export const make = (database: Database["Service"], signals: Signals): EventLog["Service"] => {
  const read: EventLog["Service"]["read"] = (projectId, after, limit) =>
    Effect.gen(function* () {
      const most = Math.max(0, Math.min(Math.floor(limit), Limits.eventsPageSize))
      const rows = yield* database.query({
        sql: `SELECT sequence, at, data FROM pawl_event WHERE project_id = ? AND sequence > ? ORDER BY sequence LIMIT ${most}`,
        params: [projectId, after]
      })
      // Sequences are dense: only when the next one is not there can retention have taken something.
      if (Number(rows[0]?.["sequence"]) !== after + 1) {
        const [kept] = yield* database.query({
          sql: "SELECT oldest FROM pawl_sequence WHERE project_id = ?",
          params: [projectId]
        })
        const oldest = Number(kept?.["oldest"] ?? 1)
        if (after + 1 < oldest) return yield* new EventsExpired({ after, oldest })
      }
      return yield* Effect.fromResult(Result.all(rows.map((row) => eventOf(projectId, row))))
    }).pipe(Effect.catchTag("SqlError", unavailable("read events")))
  return {
    read,
    listen: listening(signals),
    behind: database.query({ sql: behindQuery(database.dialect), params: [] }).pipe(
      Effect.map((rows) => rows.map((row) => ({ projectId: String(row["project_id"]), group: String(row["name"]) }))),
      Effect.catch(unavailable("read which groups are behind"))
    ),
    follow: (projectId, after) =>
      following(
        {
          read: (last) => read(projectId, last, Limits.eventsPageSize),
          signals,
          topic: eventsOf(projectId),
          pollMs: Limits.storePollMs
        },
        after
      )
  }
}
