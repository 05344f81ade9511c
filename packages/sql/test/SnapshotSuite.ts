/** What every snapshot of a database promises, and that copies know all that a database holds. */
import * as SqlClient from "effect/sql/SqlClient"
import { Effect, type Layer, type Scope, Stream } from "effect"
import { describe, expect, it } from "vitest"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { read as readCatalog } from "@pawl/sql/Catalog"
import { copiedTables, ownColumns, ownTables } from "@pawl/sql/copies/CopiedTables"
import { rowsOf, type Snapshot } from "@pawl/sql/copies/Snapshot"
import type * as SqlStores from "@pawl/sql/SqlStores"
import { change, commit, seedChanges } from "@pawl/testing/tools/StoreFixtures"
import { insert } from "@pawl/core/ledger/Commit"

/** A database, and a snapshot of it. */
export interface SnapshotFixture {
  readonly client: Layer.Layer<SqlClient.SqlClient | Layer.Success<typeof SqlStores.layer>, unknown>
  readonly snapshot: Effect.Effect<Snapshot, LedgerUnavailable, Scope.Scope>
}

const countOf = (snapshot: Snapshot, name: string) =>
  Effect.map(
    Stream.runCollect(
      rowsOf(
        snapshot,
        copiedTables.find((table) => table.name === name)!
      )
    ),
    (rows) => rows.length
  )

/** Declares the suite. `fresh` makes an empty database each time. */
export const snapshotSuite = (name: string, fresh: Effect.Effect<SnapshotFixture, never, Scope.Scope>): void => {
  const promise = (
    title: string,
    body: (
      fixture: SnapshotFixture
    ) => Effect.Effect<void, unknown, SqlClient.SqlClient | Layer.Success<typeof SqlStores.layer> | Scope.Scope>
  ) =>
    it(title, () =>
      Effect.runPromise(
        Effect.scoped(Effect.flatMap(fresh, (fixture) => Effect.provide(body(fixture), fixture.client)))
      )
    )

  describe(`A snapshot of ${name}`, () => {
    promise("is of one moment, whatever is written while it is read", ({ snapshot }) =>
      Effect.gen(function* () {
        const writes = Array.from({ length: 900 }, (_, at) => insert("change", change(at + 1)))
        yield* commit({ writes })
        const before = yield* snapshot
        yield* commit({ writes: [insert("change", change(901))] })
        expect(yield* countOf(before, "pawl_change")).toBe(900)
        yield* commit({ writes: [insert("change", change(902))] })
        expect(yield* countOf(before, "pawl_history")).toBe(900)
        expect(yield* countOf(yield* snapshot, "pawl_change")).toBe(902)
      })
    )

    promise("has texts and numbers, alike from every database", ({ snapshot }) =>
      Effect.gen(function* () {
        yield* seedChanges(1)
        const table = copiedTables.find(({ name: each }) => each === "pawl_change")!
        const [row] = yield* Stream.runCollect(rowsOf(yield* snapshot, table))
        expect(Object.keys(row ?? {})).toEqual(["project_id", "id", "data", "revision"])
        expect(row).toMatchObject({ id: change(1).id, revision: 1 })
        expect(JSON.parse(String(row?.["data"]))).toMatchObject({ id: change(1).id })
      })
    )

    promise("leaves out no column of any table but those that a database makes by itself", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { columns: kept } = yield* readCatalog
        const found = yield* sql.onDialectOrElse({
          pg: () => sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`,
          orElse: () =>
            sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
        })
        const known = [...copiedTables.map((table) => table.name), ...ownTables]
        expect(found.map((table) => table.name).toSorted()).toEqual(known.toSorted())
        for (const { name: table, numbers, texts } of copiedTables) {
          const copied = new Set([...numbers, ...texts])
          const left = [...(kept.get(table) ?? [])].filter((column) => !copied.has(column))
          expect([table, left.filter((column) => !(ownColumns[table] ?? []).includes(column))]).toEqual([table, []])
          expect([table, [...copied].filter((column) => kept.get(table)?.has(column) !== true)]).toEqual([table, []])
        }
      })
    )
  })
}
