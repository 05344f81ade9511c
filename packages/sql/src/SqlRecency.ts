/** Projects by what happened to them last, over SQL: the database looks at all of them, and sends those of one page. */
import { Effect } from "effect"
import type { History } from "@pawl/core/ledger/History"
import { behindOf, type ProjectOrder, recencyLimit, type RecencyListing, recencyPage } from "@pawl/core/ledger/Recency"
import { type Database, inJsonList, type Parameter, type Query } from "./Database.ts"
import { unavailable } from "./Failures.ts"
import { speaking } from "./SqlWords.ts"

type Dialect = Database["Service"]["dialect"]

/** For each order when a Project `p` did that last, as SQL: ms since 1970; null for never. */
export type RecencyTimes = Readonly<Record<ProjectOrder, string>>

/** A time that stands in the JSON of a row, as SQL. */
const timeIn: Readonly<Record<Dialect, (data: string, field: string) => string>> = {
  sqlite: (data, field) =>
    `CAST(round((julianday(json_extract(${data}, '$.${field}')) - 2440587.5) * 86400000) AS INTEGER)`,
  pg: (data, field) => `CAST(round(extract(epoch FROM (${data}::jsonb ->> '${field}')::timestamptz) * 1000) AS BIGINT)`
}

/** When a Project was made, for one of which nothing moved yet. */
export const madeAt = (dialect: Dialect): string => timeIn[dialect]("p.data", "createdAt")

/** Where the histories and the generations of all Projects are. */
const ownTimes = (dialect: Dialect): RecencyTimes => ({
  moved: `coalesce((SELECT h.at FROM pawl_history AS h WHERE h.project_id = p.id ORDER BY h.position DESC LIMIT 1), ${madeAt(dialect)})`,
  promoted: `(SELECT ${timeIn[dialect]("g.data", "promotedAt")} FROM pawl_generation AS g WHERE g.project_id = p.id ORDER BY g.position DESC LIMIT 1)`
})

/** What words are looked for in, as SQL. */
const spokenOf: Readonly<Record<Dialect, string>> = {
  sqlite: ["name", "slug", "label"].map((field) => `json_extract(p.data, '$.${field}')`).join(" || ' ' || "),
  pg: ["name", "slug", "label"].map((field) => `(p.data::jsonb ->> '${field}')`).join(" || ' ' || ")
}

const queryOf = (dialect: Dialect, times: RecencyTimes, listing: RecencyListing): Query => {
  const { of, order, q, statuses } = listing
  const among = inJsonList[dialect]
  const behind = behindOf(listing)
  const status = statuses === undefined ? "" : ` AND p."status" ${among}`
  const params: Array<Parameter> = [JSON.stringify(of.organizations), JSON.stringify(of.projects)]
  if (statuses !== undefined) params.push(JSON.stringify(statuses))
  const words = q === undefined ? null : speaking(dialect, q, { id: "p.id", text: spokenOf[dialect] })
  params.push(...(words?.params ?? []))
  if (behind !== null) params.push(behind.at, behind.at, behind.place)
  return {
    // Materialized, so that the time of each is looked for once.
    sql: `WITH seen AS MATERIALIZED (
      SELECT p.id AS id, p.position AS place, ${times[order]} AS at FROM pawl_project AS p
      WHERE (p."organizationId" ${among} OR p.id ${among})${status}${words === null ? "" : ` AND ${words.sql}`})
    SELECT id, place, at FROM seen WHERE at IS NOT NULL${behind === null ? "" : " AND (at < ? OR (at = ? AND place < ?))"}
    ORDER BY at DESC, place DESC LIMIT ${recencyLimit(listing) + 1}`,
    params
  }
}

/** `History.recent` over a database, by times that stand in it. */
export const make =
  (database: Database["Service"], times = ownTimes(database.dialect)): History["Service"]["recent"] =>
  (listing) =>
    Effect.suspend(() => database.query(queryOf(database.dialect, times, listing))).pipe(
      Effect.catch(unavailable("read what moved last")),
      Effect.map((rows) =>
        recencyPage(
          rows.map((row) => ({ projectId: String(row["id"]), at: Number(row["at"]), place: Number(row["place"]) })),
          listing
        )
      )
    )
