import Sqlite from "better-sqlite3"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { migrate } from "@pawl/sql/Migrations"
import * as SqliteClient from "@pawl/adapters-local/sqlite/SqliteClient"
import { temporaryFile } from "./SqliteFixture.ts"

/** Tables that no Project has rows in by its id, and how they would be split among several databases. */
const otherwise = {
  pawl_migration: "the shape of each database",
  pawl_transition: "the shape of each database",
  pawl_contraction: "the shape of each database",
  pawl_owed: "the shape of each database",
  pawl_journal: "goes with its command, by whose id it is kept",
  pawl_daily_counter: "counts for an installation or, by a name with its id in it, for a Project",
  pawl_slot: "counts what the processes of one database share; it is empty when they have ended",
  pawl_process: "names the processes that run on one database"
}

interface Shape {
  readonly table: string
  /** Whether each row has its Project, or says that it has none. */
  readonly hasProject: boolean
  /** Whether a tree leads from a Project to its rows, without a look at those of others. */
  readonly leads: boolean
}

const shapesOf = (file: string): ReadonlyArray<Shape> => {
  const db = new Sqlite(file, { readonly: true })
  const all = <A>(sql: string): ReadonlyArray<A> => db.prepare(sql).all() as ReadonlyArray<A>
  const tables = all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
  )
  const shapes = tables.map(({ name: table }) => {
    const columns = all<{ name: string; notnull: number; pk: number }>(`PRAGMA table_info("${table}")`)
    const trees = all<{ name: string }>(`PRAGMA index_list("${table}")`)
    const firsts = trees.map(({ name }) => all<{ name: string | null }>(`PRAGMA index_info("${name}")`)[0]?.name)
    const own = columns.find(({ name }) => name === "project_id")
    return {
      table,
      hasProject: own !== undefined && (own.notnull === 1 || own.pk === 1),
      leads: own?.pk === 1 || firsts.includes("project_id")
    }
  })
  db.close()
  return shapes
}

describe("Tables", () => {
  it("each lead from a Project to its rows, but those that are named with the reason", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      yield* Effect.provide(migrate, SqliteClient.layer({ filename: file }))
      const shapes = shapesOf(file)
      const apart = shapes.filter(({ hasProject, leads }) => !hasProject || !leads).map(({ table }) => table)
      expect(apart.toSorted()).toEqual(Object.keys(otherwise).toSorted())
      expect(shapes.length - apart.length).toBeGreaterThan(40)
    }).pipe(Effect.scoped, Effect.runPromise))
})
