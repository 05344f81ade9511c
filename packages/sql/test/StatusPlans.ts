/** How a store finds the few records of a Project that are in a status, among very many that are not: by its own plan. */
import * as SqlClient from "effect/sql/SqlClient"
import { Effect, type Layer } from "effect"
import { describe, expect, it } from "vitest"
import { update } from "@pawl/core/ledger/Commit"
import type { Listing } from "@pawl/core/ledger/Records"
import { Database, type Query } from "@pawl/sql/Database"
import * as SqlRecords from "@pawl/sql/SqlRecords"
import type * as SqlStores from "@pawl/sql/SqlStores"
import { changeId, commit, projectId, seedChanges, stored } from "@pawl/testing/tools/StoreFixtures"

const many = 5000
const few = [2, 5]
const index = "pawl_change_status_project"

/** Very many Changes that were just created, in two Projects, and a few that went a step. */
const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* seedChanges(6)
  for (const n of few)
    yield* commit({ writes: [update("change", yield* stored("change", changeId(n)), { status: "compiling" })] })
  for (const project of [projectId(), projectId(2)])
    yield* sql`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})
      INSERT INTO pawl_change (project_id, id, revision, data, "status")
      SELECT CAST(${project} AS TEXT), CAST(${project} AS TEXT) || '/' || i, 1, '{}', 'created' FROM n`
  // What Postgres does by itself after so many rows. SQLite knows nothing of its rows here, as ever.
  yield* sql.onDialectOrElse({ pg: () => sql`ANALYZE pawl_change`, orElse: () => Effect.void })
})

/** The plan of a statement, in the words of the database that makes it. */
const planOf = (database: Database["Service"], { params, sql }: Query) =>
  Effect.map(
    database.query({ sql: `EXPLAIN ${database.dialect === "sqlite" ? "QUERY PLAN " : ""}${sql}`, params }),
    (rows) => rows.map((row) => String(row["detail"] ?? row["QUERY PLAN"])).join("\n")
  )

/** `Records`, and each statement that it asks. */
const heard = Effect.map(Database, (database) => {
  const asked: Array<Query> = []
  const records = SqlRecords.make({
    ...database,
    query: (query) => Effect.suspend(() => (asked.push(query), database.query(query)))
  })
  return { asked, database, records }
})

const rare = ["compiling", "running", "promoting"]

/** Declares the suite. `layer` is an empty store each time it is built, with the database that it stands on. */
export const statusPlans = <E>(
  name: string,
  layer: Layer.Layer<Layer.Success<typeof SqlStores.layer> | Database | SqlClient.SqlClient, E>
): void => {
  describe(`${name}, asked for the few of many`, () => {
    it("goes straight to the statuses that are asked for, one or several, page by page, all, and counted", () =>
      Effect.runPromise(
        Effect.gen(function* () {
          yield* seed
          const { asked, database, records } = yield* heard
          const ids = few.map((n) => changeId(n))
          const listed = (listing: Listing<"change">) =>
            Effect.map(records.list("change", { projectId: projectId(), ...listing }), ({ items }) =>
              items.map(({ record }) => record.id)
            )
          for (const status of ["compiling", rare]) {
            expect(yield* listed({ where: { status } })).toEqual(ids)
            expect(yield* listed({ where: { status }, order: "newest", limit: 2 })).toEqual(ids.toReversed())
            expect(yield* listed({ where: { status }, limit: "all" })).toEqual(ids)
            const { cursors } = yield* records.list("change", { projectId: projectId(), where: { status } })
            expect(yield* listed({ where: { status }, cursor: cursors[0]! })).toEqual(ids.slice(1))
            const counts = yield* records.counts("change", [projectId(), projectId(2)], { status })
            expect(Array.from(counts)).toEqual([[projectId(), few.length]])
          }
          expect(asked).toHaveLength(12)
          for (const query of asked) {
            const plan = yield* planOf(database, query)
            expect(plan).toContain(index)
            expect(plan).not.toMatch(/SCAN pawl_change|Seq Scan on pawl_change|pawl_change_project/)
          }
        }).pipe(Effect.provide(layer), Effect.scoped)
      ))
  })
}
