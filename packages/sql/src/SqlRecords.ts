/** Records and the journal, read from SQL. */
import { Effect, Result } from "effect"
import type { Stored } from "@pawl/core/ledger/Commit"
import type { Kind, RecordOf } from "@pawl/core/model/Entities"
import type { Journal } from "@pawl/core/work/Journal"
import { type Listing, positionOf, type Records, type Where } from "@pawl/core/ledger/Records"
import { Limits } from "@pawl/core/primitives/Limits"
import type { Database, Parameter, Query, Row } from "./Database.ts"
import { unavailable } from "./Failures.ts"
import { pageOf, pageQuery, read as readPage } from "./KnownPages.ts"
import { corrupt, quoted, storedOf, type Table, table } from "./Tables.ts"

const isOneOf = (value: unknown): value is ReadonlyArray<Parameter> => Array.isArray(value)

type Dialect = Database["Service"]["dialect"]

/** More values of a column than these are one parameter on SQLite: a Durable Object takes 100. */
const manyValues = 50

const among = (dialect: Dialect, column: string, values: ReadonlyArray<string | number>): Query =>
  dialect === "sqlite" && values.length > manyValues
    ? { sql: `${column} IN (SELECT value FROM json_each(?))`, params: [JSON.stringify(values)] }
    : { sql: `${column} IN (${values.map(() => "?").join(", ")})`, params: values }

/** A condition on one column, without `= NULL`, which is never true. */
const condition = (dialect: Dialect, column: string, wanted: Parameter | ReadonlyArray<Parameter>): Query => {
  if (!isOneOf(wanted))
    return wanted === null ? { sql: `${column} IS NULL`, params: [] } : { sql: `${column} = ?`, params: [wanted] }
  const values = wanted.filter((each) => each !== null)
  const parts = [
    ...(values.length === 0 ? [] : [among(dialect, column, values)]),
    ...(values.length === wanted.length ? [] : [{ sql: `${column} IS NULL`, params: [] }])
  ]
  return {
    sql: parts.length === 0 ? "1 = 0" : `(${parts.map(({ sql }) => sql).join(" OR ")})`,
    params: parts.flatMap(({ params }) => params)
  }
}

const limitOf = (limit: number | "all" | undefined): number | null =>
  limit === "all" ? null : Math.max(0, Math.min(Math.floor(limit ?? Limits.pageSize), Limits.pageSize))

/** What columns are asked to be, one condition each. */
const conditionsOf = <K extends Kind>(dialect: Dialect, kind: K, where: Where<K>): ReadonlyArray<Query> => {
  const { columns } = table(kind)
  const wanted: Readonly<Record<string, Parameter | ReadonlyArray<Parameter> | undefined>> = where
  return Object.keys(wanted).flatMap((column) => {
    const value = wanted[column]
    if (value === undefined) return []
    if (!columns.includes(column)) throw new Error(`${kind} cannot be listed by ${column}`)
    return [condition(dialect, quoted(column), value)]
  })
}

/** All of them at once; nothing where there are none. */
const holding = (conditions: ReadonlyArray<Query>): Query => ({
  sql: conditions.length === 0 ? "" : ` WHERE ${conditions.map(({ sql }) => sql).join(" AND ")}`,
  params: conditions.flatMap(({ params }) => params)
})

/** The statuses of one Project that a listing asks for and nothing else, where an index leads to them and they are several. */
const statusesOf = <K extends Kind>({ statusIndex }: Table, { projectId, where = {} }: Listing<K>) => {
  const { status, ...others } = where as Readonly<Record<string, Parameter | ReadonlyArray<Parameter> | undefined>>
  const isAlone = Object.values(others).every((each) => each === undefined)
  if (statusIndex === null || projectId === undefined || !isAlone || !isOneOf(status)) return null
  const statuses = Array.from(new Set(status.filter((each) => each !== null)))
  return statuses.length < 2 ? null : { projectId, statuses, statusIndex }
}

/**
 * A listing. Of several statuses a planner that does not know how rare they are would rather walk the Project: SQLite is
 * told the index, and goes no further in each status than the page does; Postgres is asked for the first of each.
 */
const listQuery = <K extends Kind>(kind: K, listing: Listing<K>, dialect: Dialect): Query => {
  const of = table(kind)
  const newest = listing.order === "newest"
  const limit = limitOf(listing.limit)
  const end = ` ORDER BY position ${newest ? "DESC" : "ASC"}${limit === null ? "" : ` LIMIT ${limit + 1}`}`
  const after = positionOf(listing.cursor)
  const behind = after === null ? [] : [{ sql: `position ${newest ? "<" : ">"} ?`, params: [after] }]
  const inProject = listing.projectId === undefined ? [] : [condition(dialect, "project_id", listing.projectId)]
  const several = statusesOf(of, listing)
  if (several !== null && dialect === "pg") {
    const parts = several.statuses.map((each) =>
      holding([...inProject, condition(dialect, quoted("status"), each), ...behind])
    )
    const first = parts.map(
      ({ sql }, n) => `SELECT position FROM (SELECT position FROM ${of.name}${sql}${end}) AS s${n}`
    )
    return {
      sql: `${of.select} WHERE position = ANY (ARRAY(${first.join(" UNION ALL ")}${end}))${end}`,
      params: parts.flatMap(({ params }) => params)
    }
  }
  const { params, sql } = holding([...inProject, ...conditionsOf(dialect, kind, listing.where ?? {}), ...behind])
  const index = several === null ? "" : ` INDEXED BY ${quoted(several.statusIndex)}`
  return { sql: `${of.select}${index}${sql}${end}`, params }
}

/** Projects as a JSON list: the same text for however many. */
const ofProjects: Readonly<Record<Dialect, string>> = {
  sqlite: "project_id IN (SELECT value FROM json_each(?))",
  pg: "project_id = ANY (ARRAY(SELECT jsonb_array_elements_text(?::jsonb)))"
}

const readFailed = unavailable("read")
const listFailed = unavailable("list")

const byKey = <K extends Kind>(kind: K, rows: ReadonlyArray<Row>) =>
  Result.map(
    Result.all(rows.map((row) => Result.map(storedOf(kind, row), (stored) => [String(row["id"]), stored] as const))),
    (found): ReadonlyMap<string, Stored<RecordOf<K>>> => new Map(found)
  )

/** Fewer rows are read one by one: their text would not be cheaper. */
const fewRows = 4

/** `Records` over a database whose tables are there. A row that cannot be decoded is `LedgerUnavailable`, for good. */
export const make = (database: Database["Service"]): Records["Service"] => {
  const inRows = <K extends Kind>(kind: K, query: Query, limit: number | null) =>
    database.query(query).pipe(
      Effect.catch(listFailed),
      Effect.flatMap((rows) => Effect.fromResult(pageOf(kind, rows, limit)))
    )
  const inText = <K extends Kind>(kind: K, query: Query, limit: number) =>
    database.query(pageQuery(query)).pipe(
      Effect.catch(listFailed),
      Effect.flatMap(([row]) => {
        const page = readPage(kind, row?.["page"], limit)
        return page === null ? inRows(kind, query, limit) : Effect.succeed(page)
      })
    )
  const mayBeText = database.dialect === "sqlite" && database.valueBytes === undefined
  return {
    get: (kind, id) =>
      Effect.suspend(() => database.query({ sql: table(kind).byId, params: [id] })).pipe(
        Effect.catch(readFailed),
        Effect.flatMap(([row]) =>
          row === undefined ? Effect.succeedNone : Effect.asSome(Effect.fromResult(storedOf(kind, row)))
        )
      ),
    many: (kind, ids) =>
      Effect.suspend(() =>
        ids.length === 0
          ? Effect.succeed([])
          : database.query({ sql: table(kind).byIds[database.dialect], params: [JSON.stringify(ids)] })
      ).pipe(
        Effect.catch(readFailed),
        Effect.flatMap((rows) => Effect.fromResult(byKey(kind, rows)))
      ),
    list: (kind, listing) =>
      Effect.suspend(() => {
        const query = listQuery(kind, listing, database.dialect)
        const limit = limitOf(listing.limit)
        return limit === null || limit < fewRows || !mayBeText ? inRows(kind, query, limit) : inText(kind, query, limit)
      }),
    counts: (kind, projectIds, where) =>
      Effect.suspend(() => {
        if (projectIds.length === 0) return Effect.succeed([])
        const projects = { sql: ofProjects[database.dialect], params: [JSON.stringify(projectIds)] }
        const { params, sql } = holding([projects, ...conditionsOf(database.dialect, kind, where)])
        return database.query({
          sql: `SELECT project_id, count(*) AS found FROM ${table(kind).name}${sql} GROUP BY project_id`,
          params
        })
      }).pipe(
        Effect.catch(unavailable("count")),
        Effect.map((rows) => new Map(rows.map((row) => [String(row["project_id"]), Number(row["found"])])))
      )
  }
}

/** The value of a text that the store wrote as JSON; `corrupt` where it is none. */
export const parsed = (tableName: string, key: string, text: unknown) =>
  Result.mapError(
    Result.try((): unknown => JSON.parse(String(text))),
    () => corrupt(tableName, key)
  )

/** `Journal` over a database whose tables are there. */
export const makeJournal = (database: Database["Service"]): Journal["Service"] => ({
  steps: (process) =>
    Effect.suspend(() =>
      database.query({
        sql: "SELECT step, result FROM pawl_journal WHERE process = ? ORDER BY place",
        params: [process]
      })
    ).pipe(
      Effect.catch(unavailable("read the journal")),
      Effect.flatMap((rows) =>
        Effect.fromResult(
          Result.all(
            rows.map((row) =>
              Result.map(
                parsed("pawl_journal", process, row["result"]),
                (result) => [String(row["step"]), result] as const
              )
            )
          )
        )
      ),
      Effect.map((steps): ReadonlyMap<string, unknown> => new Map(steps))
    )
})
