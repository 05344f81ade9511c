/** The history over SQL: one row for each Change that a commit moved something of, written with that commit. */
import { Effect, Result, Schema } from "effect"
import { Actor } from "@pawl/core/model/Actor"
import {
  type History,
  type HistoryListing,
  type HistoryPage,
  type HistoryRow,
  limitOf,
  pageOf,
  startOf,
  Transition
} from "@pawl/core/ledger/History"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { fromMillis } from "@pawl/core/primitives/Time"
import type { Database, Row } from "./Database.ts"
import { unavailable } from "./Failures.ts"
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
        sql: `SELECT project_id, position, at, data FROM pawl_history WHERE ${column} = ? AND position >= ? ORDER BY position LIMIT ${limitOf(listing.limit) + 2}`,
        params: [id, startOf(listing.cursor).position]
      })
      .pipe(
        Effect.catch(unavailable("read the history")),
        Effect.flatMap((rows) => Effect.fromResult(Result.all(rows.map(rowOf)))),
        Effect.map((found) => pageOf(found, listing))
      )
  return {
    ofChange: (changeId, listing) => read("change_id", changeId, listing),
    ofProject: (projectId, listing) => read("project_id", projectId, listing)
  }
}
