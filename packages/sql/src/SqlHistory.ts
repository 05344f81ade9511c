/** The history over SQL: one row for each Change that a commit moved something of, written with that commit. */
import { Effect, Result, Schema } from "effect"
import { Actor } from "@pawl/core/model/Actor"
import {
  type History,
  type HistoryListing,
  type HistoryPage,
  type HistoryRow,
  isBackward,
  leastOf,
  limitOf,
  type Move,
  pageOf,
  startOf,
  Transition
} from "@pawl/core/ledger/History"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { fromMillis } from "@pawl/core/primitives/Time"
import type { Database, Row } from "./Database.ts"
import { unavailable } from "./Failures.ts"
import { make as makeRecent } from "./SqlRecency.ts"
import { corrupt } from "./Tables.ts"

/** What stands in the column `data`. */
const Data = Schema.fromJsonString(
  Schema.Struct({ commit: Schema.String, actor: Actor, transitions: Schema.Array(Transition) })
)
const decode = Schema.decodeUnknownResult(Data)

const rowOf = (row: Row): Result.Result<HistoryRow, LedgerUnavailable> =>
  Result.mapBoth(decode(row["data"]), {
    onSuccess: (data) => ({ position: Number(row["position"]), at: fromMillis(Number(row["at"])), ...data }),
    onFailure: () => corrupt("pawl_history", `${String(row["project_id"])}/${String(row["position"])}`)
  })

const moveOf = (row: Row): Result.Result<Move, LedgerUnavailable> =>
  Result.map(rowOf(row), ({ at, position, transitions }) => ({
    projectId: String(row["project_id"]),
    position,
    changeId: typeof row["change_id"] === "string" ? row["change_id"] : null,
    at,
    transitions
  }))

/** The rows of a listing, from and to. */
const boundsOf = (listing: HistoryListing): readonly [number, number] => {
  const start = startOf(listing)
  if (isBackward(listing)) return [leastOf(listing), start ?? Number.MAX_SAFE_INTEGER]
  return [Math.max(start ?? 0, leastOf(listing)), Number.MAX_SAFE_INTEGER]
}

/** As many Projects as one statement asks about. */
const perStatement = 40

const inParts = <A, E>(
  all: ReadonlyArray<A>,
  ask: (part: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<Row>, E>
): Effect.Effect<ReadonlyArray<Row>, E> =>
  Effect.map(
    Effect.forEach(
      Array.from({ length: Math.ceil(all.length / perStatement) }, (_, n) => n * perStatement),
      (start) => ask(all.slice(start, start + perStatement))
    ),
    (found) => found.flat()
  )

/** `History` over a database whose tables are there. */
export const make = (database: Database["Service"]): History["Service"] => {
  const read = (
    column: "project_id" | "change_id",
    id: string,
    listing: HistoryListing
  ): Effect.Effect<HistoryPage, LedgerUnavailable> =>
    database
      .query({
        // The first row may have been shown to its end, and one more tells whether there is a next page.
        sql: `SELECT project_id, position, at, data FROM pawl_history WHERE ${column} = ? AND position BETWEEN ? AND ? ORDER BY position${isBackward(listing) ? " DESC" : ""} LIMIT ${limitOf(listing.limit) + 2}`,
        params: [id, ...boundsOf(listing)]
      })
      .pipe(
        Effect.catch(unavailable("read the history")),
        Effect.flatMap((rows) => Effect.fromResult(Result.all(rows.map(rowOf)))),
        Effect.map((found) => pageOf(found, listing))
      )
  return {
    recent: makeRecent(database),
    ofChange: (changeId, listing) => read("change_id", changeId, listing),
    ofProject: (projectId, listing) => read("project_id", projectId, listing),
    ends: (projectIds) =>
      Effect.map(
        inParts(projectIds, (part) =>
          database.query({
            sql: `WITH asked(id) AS (VALUES ${part.map(() => "(?)").join(", ")})
              SELECT id, position, at FROM asked JOIN pawl_history ON project_id = id
              AND position = (SELECT max(position) FROM pawl_history WHERE project_id = id)`,
            params: part
          })
        ).pipe(Effect.catch(unavailable("read where histories end"))),
        (rows) => {
          const found = new Map(
            rows.map((row) => [
              String(row["id"]),
              { position: Number(row["position"]), at: fromMillis(Number(row["at"])) }
            ])
          )
          return projectIds.map((projectId) => ({ projectId, ...(found.get(projectId) ?? { position: 0, at: null }) }))
        }
      ),
    since: (marks, limit) =>
      inParts(marks, (part) =>
        database.query({
          sql: `SELECT project_id, position, change_id, at, data FROM pawl_history
            WHERE ${part.map(() => "(project_id = ? AND position > ?)").join(" OR ")}
            ORDER BY project_id, position LIMIT ${Math.max(0, Math.floor(limit))}`,
          params: part.flatMap(({ position, projectId }) => [projectId, position])
        })
      ).pipe(
        Effect.catch(unavailable("read the history")),
        Effect.flatMap((rows) => Effect.fromResult(Result.all(rows.map(moveOf)))),
        Effect.map((found) => found.slice(0, limit))
      )
  }
}
