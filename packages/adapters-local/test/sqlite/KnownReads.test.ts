/** Reads that are known are those of now, whoever wrote meanwhile. */
import Sqlite from "better-sqlite3"
import * as SqlClient from "effect/sql/SqlClient"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as SqliteClient from "@pawl/adapters-local/sqlite/SqliteClient"
import { Database } from "@pawl/sql/Database"
import { temporaryFile } from "./SqliteFixture.ts"

const eventLoop = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
const asked = { sql: "SELECT n FROM t WHERE n > ? ORDER BY n", params: [0] }

const numbersOf = (database: Database["Service"]) => Effect.map(database.query(asked), (rows) => rows.map(({ n }) => n))

const onTable = (
  body: (both: {
    readonly sql: SqlClient.SqlClient
    readonly database: Database["Service"]
    readonly file: string
  }) => Effect.Effect<void, unknown>
) =>
  Effect.gen(function* () {
    const file = yield* temporaryFile
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE t (n INTEGER PRIMARY KEY)`
      yield* body({ sql, database: yield* Database, file })
    }).pipe(Effect.provide(SqliteClient.layer({ filename: file })))
  }).pipe(Effect.scoped, Effect.runPromise)

const insert = (n: number) => ({ sql: "INSERT INTO t VALUES (?)", params: [n], rows: 1 })

describe("What a query answered", () => {
  it("is the very same rows while nobody writes", () =>
    onTable(({ database }) =>
      Effect.gen(function* () {
        yield* database.batch([insert(1)])
        const first = yield* database.query(asked)
        yield* eventLoop
        expect(yield* database.query(asked)).toBe(first)
        expect(yield* database.query({ ...asked, params: [1] })).toEqual([])
      })
    ))

  it("is asked anew after each write of this connection: a batch, a statement, a transaction, a row that is answered", () =>
    onTable(({ database, sql }) =>
      Effect.gen(function* () {
        expect(yield* numbersOf(database)).toEqual([])
        yield* database.batch([insert(1)])
        expect(yield* numbersOf(database)).toEqual([1])
        yield* sql`INSERT INTO t VALUES (2)`
        expect(yield* numbersOf(database)).toEqual([1, 2])
        yield* sql.withTransaction(Effect.andThen(sql`INSERT INTO t VALUES (3)`, sql`DELETE FROM t WHERE n = 1`))
        expect(yield* numbersOf(database)).toEqual([2, 3])
        const [gone] = yield* database.query({ sql: "DELETE FROM t WHERE n = ? RETURNING n", params: [2] })
        expect([gone, yield* numbersOf(database)]).toEqual([{ n: 2 }, [3]])
        yield* sql`INSERT INTO t VALUES (4)`.values
        expect(yield* numbersOf(database)).toEqual([3, 4])
        yield* database.batch([insert(5), insert(5)]).pipe(Effect.ignore)
        expect(yield* numbersOf(database)).toEqual([3, 4])
      })
    ))

  it("is asked anew at once when another connection of this process has written", () =>
    onTable(({ database, file }) =>
      Effect.gen(function* () {
        const other = yield* Database
        expect(yield* numbersOf(database)).toEqual([])
        yield* other.batch([insert(1)])
        expect(yield* numbersOf(database)).toEqual([1])
      }).pipe(Effect.provide(SqliteClient.layer({ filename: file })))
    ))

  it("is asked anew when another process has committed", () =>
    onTable(({ database, file }) =>
      Effect.gen(function* () {
        // Nothing here knows of this one, as of one in another process.
        const other = new Sqlite(file)
        expect(yield* numbersOf(database)).toEqual([])
        other.prepare("INSERT INTO t VALUES (1)").run()
        yield* eventLoop
        expect(yield* numbersOf(database)).toEqual([1])
        other.prepare("BEGIN").run()
        other.prepare("DELETE FROM t").run()
        yield* eventLoop
        expect(yield* numbersOf(database)).toEqual([1])
        other.prepare("COMMIT").run()
        yield* eventLoop
        expect(yield* numbersOf(database)).toEqual([])
        other.close()
      })
    ))
})
