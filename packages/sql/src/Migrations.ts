/**
 * Brings a database to the shape that this version needs, in one transaction under a lock, so that two processes may
 * start at once and a crash leaves the old shape. Fixed tables by numbered steps; tables of records, their columns,
 * and their lives from `Entities`. Nothing is taken away here: see `OlderVersions.ts`.
 */
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Effect, Result } from "effect"
import { nowMillis } from "@pawl/core/primitives/Time"
import { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { read as readCatalog } from "./Catalog.ts"
import { reasonOf } from "./Database.ts"
import * as Lives from "./Lives.ts"
import * as LookUps from "./LookUps.ts"
import { partsOf } from "./RecordTables.ts"
import { contracted, demandNotOutgrown, expanded, ownShape, type Shape, takeTurn } from "./Shape.ts"
import { allTables, corrupt, type Table, table } from "./Tables.ts"

/** The step after which no row of a Policy is read with a default any more: statements hold digests of such rows. */
const explicitAt = 9

/** Writes the rows of a table anew that their own JSON does not tell whole. */
const sayAll = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, { decode, encode, name }: Table) {
  const rows = yield* sql.unsafe<{ position: number; id: string; data: string }>(
    `SELECT position, id, data FROM ${name}`
  )
  for (const { data, id, position } of rows) {
    const record = decode(data)
    if (Result.isFailure(record)) return yield* corrupt(name, id)
    const whole = encode(record.success)
    if (whole !== data) yield* sql`UPDATE ${sql(name)} SET data = ${whole} WHERE position = ${position}`
  }
})

/** How far the shape of a database was, and how far it is: numbers of expansions. */
export interface Migrated {
  readonly from: number
  readonly to: number
}

/** What this version needs of the tables of records, beside the numbered steps. */
const shapeRecords = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { columns, names } = yield* readCatalog
  for (const each of allTables) {
    yield* LookUps.add(each, columns.get(each.name))
    for (const [name, ...statements] of partsOf(sql, each))
      if (!names.has(name)) for (const statement of statements) yield* sql.unsafe(statement)
  }
})

const migrating = Effect.fnUntraced(function* ({ contractions, expansions }: Shape) {
  const sql = yield* SqlClient.SqlClient
  yield* takeTurn
  yield* sql`CREATE TABLE IF NOT EXISTS pawl_migration (version INTEGER PRIMARY KEY, at BIGINT NOT NULL)`
  const from = yield* expanded
  // A newer version has been here. What it added is in nobody's way; it may have taken away what is needed here.
  if (from > expansions.length) {
    yield* demandNotOutgrown(yield* contracted, contractions.length)
    return { from, to: from }
  }
  for (const [index, step] of expansions.entries()) {
    if (index < from) continue
    for (const statement of step(sql)) yield* sql.unsafe(statement)
    yield* sql`INSERT INTO pawl_migration (version, at) VALUES (${index + 1}, ${yield* nowMillis})`
  }
  yield* demandNotOutgrown(yield* contracted, contractions.length)
  yield* shapeRecords
  if (from < explicitAt) for (const kind of ["policy", "policyVersion"] as const) yield* sayAll(sql, table(kind))
  yield* Lives.add
  // Nobody was here before who could need what this version does without.
  if (from === 0)
    for (const [index] of contractions.entries())
      yield* sql`INSERT INTO pawl_contraction (number, at) VALUES (${index + 1}, ${yield* nowMillis})`
  return { from, to: expansions.length }
})

/**
 * Brings the database to the shape of this version, and answers how far it was. Safe to run at every start, by several
 * processes at once, and beside processes of the version before. Fails when a newer version has taken away what this one
 * needs.
 */
export const migrateTo = (shape: Shape): Effect.Effect<Migrated, LedgerUnavailable, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(migrating(shape)).pipe(
      Effect.catchTag("SqlError", (error: SqlError) =>
        Effect.fail(new LedgerUnavailable({ operation: "migrate", reason: reasonOf(error) }))
      ),
      Effect.withSpan("Migrations.migrate")
    )
  )

/** `migrateTo` the shape of this version. */
export const migrate = migrateTo(ownShape)

/** How far the database is, and how far `migrate` would bring it. Changes nothing. */
export const outlook: Effect.Effect<Migrated, LedgerUnavailable, SqlClient.SqlClient> = Effect.gen(function* () {
  const { columns } = yield* readCatalog
  const from = columns.has("pawl_migration") ? yield* expanded : 0
  if (columns.has("pawl_contraction")) yield* demandNotOutgrown(yield* contracted, ownShape.contractions.length)
  return { from, to: Math.max(from, ownShape.expansions.length) }
}).pipe(
  Effect.catchTag("SqlError", (error: SqlError) =>
    Effect.fail(new LedgerUnavailable({ operation: "look", reason: reasonOf(error) }))
  )
)

const otherShape = new LedgerUnavailable({
  operation: "open",
  reason:
    "the database has not the shape that this version needs: run `pawl migrate`, or start the server of this version on it"
})

/** Whether a database is only behind: it will do once somebody has brought it to shape. */
export const isBehind = (problem: LedgerUnavailable): boolean => problem === otherShape

/** Fails unless the database has all that this version needs. Changes nothing, for a server may run on it. */
export const demandShape: Effect.Effect<void, LedgerUnavailable, SqlClient.SqlClient> = Effect.gen(function* () {
  const { columns } = yield* readCatalog
  if (!columns.has("pawl_migration") || !columns.has("pawl_contraction")) return yield* otherShape
  const lacks = allTables.some((each) => each.columns.some((column) => columns.get(each.name)?.has(column) !== true))
  if (lacks || (yield* expanded) < ownShape.expansions.length) return yield* otherShape
  yield* demandNotOutgrown(yield* contracted, ownShape.contractions.length)
}).pipe(
  Effect.catchTag("SqlError", (error: SqlError) =>
    Effect.fail(new LedgerUnavailable({ operation: "open", reason: reasonOf(error) }))
  )
)
