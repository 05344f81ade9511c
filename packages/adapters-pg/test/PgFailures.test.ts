import * as FastCheck from "fast-check"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Deferred, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import Pg from "pg"
import { expect, it } from "vitest"
import * as PgClient from "@pawl/adapters-pg/PgClient"
import { type Options, settings } from "@pawl/adapters-pg/PgPool"
import { Database, reasonOf, type Statement } from "@pawl/sql/Database"
import { commit, event, failure, projectId } from "@pawl/testing/tools/StoreFixtures"
import { newSchema, onPostgres, storesOn, url } from "./PgFixture.ts"

type Body<A> = Effect.Effect<A, unknown, SqlClient.SqlClient | Database>

const onClient = <A>(body: Body<A>, options: Partial<Options> = {}) =>
  Effect.runPromise(Effect.provide(body, PgClient.layer({ url: Redacted.make(url), schema: newSchema(), ...options })))

const table = (columns: string): Body<SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.as(sql.unsafe(`CREATE TABLE t (${columns})`), sql))
const batch = (statements: ReadonlyArray<Statement>) =>
  Effect.flatMap(Database, (database) => database.batch(statements))
const plain = (sql: string): Statement => ({ sql, params: [] })
const add = (id: number): Statement => ({ sql: "UPDATE t SET n = n + 1 WHERE id = ?", params: [id], rows: 1 })
const counts = Effect.flatMap(Database, (database) => database.query(plain("SELECT n FROM t ORDER BY id")))

onPostgres("Postgres when things go wrong", () => {
  it("makes a failed COMMIT an SqlError and is usable afterwards", () =>
    onClient(
      Effect.gen(function* () {
        const sql = yield* table(
          "id INTEGER PRIMARY KEY, other INTEGER REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED"
        )
        const orphan = "INSERT INTO t (id, other) VALUES (1, 99)"
        expect(yield* failure(sql.withTransaction(sql.unsafe(orphan)))).toMatchObject({ _tag: "SqlError" })
        expect(yield* failure(batch([plain(orphan)]))).toMatchObject({ _tag: "SqlError" })
        expect(yield* failure(batch([{ ...plain(orphan), rows: 1 }]))).toMatchObject({ _tag: "SqlError" })
        expect(yield* sql.withTransaction(sql`SELECT count(*) AS n FROM t`)).toEqual([{ n: 0 }])
      })
    ))

  it("makes the COMMIT of a transaction in which a statement failed an SqlError, though Postgres does not", () =>
    onClient(
      Effect.gen(function* () {
        const sql = yield* table("id INTEGER PRIMARY KEY")
        const add = sql`INSERT INTO t (id) VALUES (1)`
        const problem = yield* failure(sql.withTransaction(Effect.andThen(add, Effect.exit(add))))
        expect(reasonOf(problem)).toContain("undone")
        // What failed within a savepoint is undone alone.
        yield* sql.withTransaction(Effect.andThen(add, Effect.exit(sql.withTransaction(add))))
        expect(yield* sql`SELECT id FROM t`).toEqual([{ id: 1 }])
        expect((yield* failure(add)).reason._tag).toBe("UniqueViolation")
      }),
      { connections: 1 }
    ))

  it("stops the statement of a transaction that is interrupted, undoes it, and is usable afterwards", () =>
    onClient(
      Effect.gen(function* () {
        const sql = yield* table("id INTEGER PRIMARY KEY")
        const asleep = sql`SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep(%'`
        const found = (count: number) => Effect.repeat(asleep, { until: (rows) => rows.length === count })
        const sleeping = yield* Effect.forkChild(
          sql.withTransaction(Effect.andThen(sql`INSERT INTO t (id) VALUES (1)`, sql`SELECT pg_sleep(600)`))
        )
        yield* found(1)
        const begun = yield* Deferred.make<void>()
        const holding = yield* Effect.forkChild(
          sql.withTransaction(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
        )
        yield* Deferred.await(begun)
        // The pool has no third connection for it.
        const waiting = yield* Effect.forkChild(sql`INSERT INTO t (id) VALUES (2)`, { startImmediately: true })
        for (const each of [waiting, holding, sleeping]) yield* Fiber.interrupt(each)
        yield* found(0)
        expect(yield* sql`SELECT count(*) AS n FROM t`).toEqual([{ n: 0 }])
        yield* Effect.all(
          [sql`INSERT INTO t (id) VALUES (3)`, sql.withTransaction(sql`INSERT INTO t (id) VALUES (4)`)],
          {
            concurrency: "unbounded"
          }
        )
        expect(yield* Stream.runCollect(sql`SELECT id FROM t ORDER BY id`.stream)).toEqual([{ id: 3 }, { id: 4 }])
        expect(yield* sql`SELECT id FROM t ORDER BY id`.values).toEqual([[3], [4]])
      }),
      { connections: 2 }
    ))

  it("lets both of two batches that wait for each other through, one after the other", () =>
    onClient(
      Effect.gen(function* () {
        yield* table("id INTEGER PRIMARY KEY, n INTEGER NOT NULL")
        yield* batch([plain("INSERT INTO t (id, n) VALUES (1, 0), (2, 0)")])
        const both = (first: number, second: number) => batch([add(first), plain("SELECT pg_sleep(0.05)"), add(second)])
        const outcomes = yield* Effect.all([both(1, 2), both(2, 1)], { concurrency: "unbounded" })
        expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Applied", "Applied"])
        expect(yield* counts).toEqual([{ n: 2 }, { n: 2 }])
      })
    ))

  it("tries a batch anew that could not be serialized, and loses no update of 8", () =>
    onClient(
      Effect.gen(function* () {
        yield* table("id INTEGER PRIMARY KEY, n INTEGER NOT NULL")
        yield* batch([plain("INSERT INTO t (id, n) VALUES (1, 0)")])
        const serially = batch([
          plain("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"),
          plain("SELECT n FROM t"),
          add(1)
        ])
        yield* Effect.all(
          Array.from({ length: 8 }, () => serially),
          { concurrency: "unbounded" }
        )
        expect(yield* counts).toEqual([{ n: 8 }])
      })
    ))

  it("names the statement that missed, though those after it would have failed or changed the answer", () =>
    onClient(
      Effect.gen(function* () {
        yield* table("id INTEGER PRIMARY KEY, n INTEGER NOT NULL")
        yield* batch([plain("INSERT INTO t (id, n) VALUES (1, 5)")])
        const missing = (otherwise: string): Statement => ({
          sql: "UPDATE t SET n = ? WHERE id = ? AND n = ?",
          params: [6, 1, 4],
          rows: 1,
          otherwise: plain(otherwise)
        })
        const first = plain("INSERT INTO t (id, n) VALUES (2, 1)")
        const missed = { _tag: "Missed", index: 1, rows: [{ n: 5 }] }
        const look = "SELECT n FROM t WHERE id = 1"
        expect(yield* batch([first, missing(look), plain("INSERT INTO t (id, n) VALUES (1, 1)")])).toEqual(missed)
        expect(yield* batch([first, missing(look), add(1)])).toEqual(missed)
        expect(yield* batch([first, missing(look)])).toEqual(missed)
        expect(yield* counts).toEqual([{ n: 5 }])
      })
    ))

  it("goes on with another connection when the server ends this one", () =>
    onClient(
      Effect.gen(function* () {
        yield* table("id INTEGER PRIMARY KEY, n INTEGER NOT NULL")
        yield* batch([plain("INSERT INTO t (id, n) VALUES (1, 0)")])
        expect(yield* failure(batch([add(1), plain("SELECT pg_terminate_backend(pg_backend_pid())")]))).toMatchObject({
          _tag: "SqlError"
        })
        yield* batch([add(1)])
        expect(yield* counts).toEqual([{ n: 1 }])
      }),
      { connections: 1 }
    ))

  it("stops a statement that takes longer than it may, and is usable afterwards", () =>
    onClient(
      Effect.gen(function* () {
        const problem = (yield* failure(batch([plain("SELECT pg_sleep(600)")]))) as SqlError
        expect(reasonOf(problem)).toContain("57014")
        expect(yield* batch([plain("SELECT 1 AS one")])).toEqual({ _tag: "Applied", answers: [[{ one: 1 }]] })
      }),
      { connections: 1, statementMs: 200 }
    ))

  it("lets go of a Project when the process that holds it is frozen in the middle of its commit", () => {
    const schema = newSchema()
    return Effect.runPromise(
      Effect.provide(
        Effect.gen(function* () {
          yield* commit({ events: [event()] })
          const frozen = new Pg.Client(settings({ url: Redacted.make(url), schema, statementMs: 300 }))
          frozen.on("error", () => undefined)
          yield* Effect.promise(() => frozen.connect())
          yield* Effect.promise(() => frozen.query("BEGIN"))
          yield* Effect.promise(() =>
            frozen.query("UPDATE pawl_sequence SET last = last + 100 WHERE project_id = $1", [projectId()])
          )
          expect(yield* commit({ events: [event()] })).toMatchObject({ events: { first: 2, last: 2 } })
        }),
        storesOn(schema)
      )
    )
  })

  it("reads a table that a newer program has given another column", () =>
    onClient(
      Effect.gen(function* () {
        const sql = yield* table("id INTEGER PRIMARY KEY, n INTEGER NOT NULL")
        yield* batch([plain("INSERT INTO t (id, n) VALUES (1, 0)")])
        const all = Effect.flatMap(Database, (database) => database.query(plain("SELECT * FROM t")))
        expect(yield* all).toEqual([{ id: 1, n: 0 }])
        yield* sql.unsafe("ALTER TABLE t ADD COLUMN more INTEGER")
        expect(yield* all).toEqual([{ id: 1, n: 0, more: null }])
      }),
      { connections: 1 }
    ))

  it("keeps any text as it is, also one with NUL, and orders texts by code point", () =>
    onClient(
      Effect.gen(function* () {
        yield* table(`id INTEGER PRIMARY KEY, n TEXT COLLATE "C"`)
        const character = FastCheck.oneof(
          FastCheck.constantFrom("\0", "\u0001", "\u0002", "a", "\u{1F9C0}"),
          FastCheck.string({ size: "small" })
        )
        const texts = FastCheck.sample(
          FastCheck.array(character, { minLength: 1, maxLength: 6 }).map((parts) => parts.join("")),
          { numRuns: 200, seed: 1 }
        )
        for (const [id, text] of texts.entries())
          yield* batch([{ sql: "INSERT INTO t (id, n) VALUES (?, ?)", params: [id, text] }])
        expect((yield* counts).map((row) => row["n"])).toEqual(texts)
        const byText = Effect.flatMap(Database, (database) => database.query(plain("SELECT n FROM t ORDER BY n, id")))
        const sorted = texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        expect((yield* byText).map((row) => row["n"])).toEqual(sorted)
      })
    ))

  it("prepares more statements than a connection keeps, each time the right one", () =>
    onClient(
      Effect.gen(function* () {
        const ask = (n: number) => plain(`SELECT ${n} AS number`)
        for (let round = 0; round < 2; round++)
          for (let n = 0; n < 600; n += 20) {
            const outcome = yield* batch(Array.from({ length: 20 }, (_, place) => ask(n + place)))
            expect(outcome).toEqual({
              _tag: "Applied",
              answers: Array.from({ length: 20 }, (_, place) => [{ number: n + place }])
            })
          }
      }),
      { connections: 1 }
    ))

  it("says what is wrong with a database that cannot be reached, without its password", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const nowhere = Redacted.make("postgres://someone:hunter2@127.0.0.1:1/none")
        const problem = (yield* failure(Effect.scoped(Layer.build(PgClient.layer({ url: nowhere }))))) as SqlError
        expect(reasonOf(problem)).toContain("ECONNREFUSED")
        expect(`${JSON.stringify(problem)}${String(problem)}`).not.toContain("hunter2")
      })
    ))
})
