import * as SqlClient from "effect/sql/SqlClient"
import Sqlite from "better-sqlite3"
import { Effect, Exit, Fiber, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { insert, update } from "@pawl/core/ledger/Commit"
import { Records } from "@pawl/core/ledger/Records"
import * as SqliteClient from "@pawl/adapters-local/sqlite/SqliteClient"
import { Database } from "@pawl/sql/Database"
import * as SqlStores from "@pawl/sql/SqlStores"
import {
  change,
  changeId,
  commit,
  event,
  failure,
  race,
  revisionOf,
  seedChanges,
  stored,
  token
} from "@pawl/testing/tools/StoreFixtures"
import { storesOn, temporaryFile } from "./SqliteFixture.ts"

type Services = Layer.Success<ReturnType<typeof storesOn>>

const onFile =
  <E>(body: (file: string) => Effect.Effect<void, E, Services>) =>
  () =>
    Effect.runPromise(
      Effect.scoped(Effect.flatMap(temporaryFile, (file) => Effect.provide(body(file), storesOn(file))))
    )

const sqlOf = <A, E>(use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) => Effect.flatMap(SqlClient.SqlClient, use)

describe("SQLite that fails", () => {
  it(
    "answers LedgerUnavailable when the disk is full, changes nothing, and goes on when there is room",
    onFile(() =>
      Effect.gen(function* () {
        yield* seedChanges(1)
        const [{ page_count }] = (yield* sqlOf((sql) => sql<{ page_count: number }>`PRAGMA page_count`)) as [
          { page_count: number }
        ]
        yield* sqlOf((sql) => sql.unsafe(`PRAGMA max_page_count = ${page_count + 4}`))
        const large = (n: number) =>
          commit({ writes: [insert("change", change(n, { goal: "x".repeat(200_000) }))], events: [event({ n })] })
        expect(yield* failure(large(2))).toMatchObject({
          _tag: "LedgerUnavailable",
          reason: expect.stringContaining("SQLITE_FULL")
        })
        expect(yield* revisionOf("change", changeId(2))).toBe(null)
        // Among others of the same moment, only the one that does not fit is refused.
        const small = (n: number) =>
          commit({ writes: [update("change", { record: change(1), revision: n }, { reason: `${n}` })] })
        const exits = yield* race([small(1), large(3), small(2)])
        expect(exits.map(Exit.isSuccess)).toEqual([true, false, true])
        yield* sqlOf((sql) => sql.unsafe("PRAGMA max_page_count = 1000000"))
        expect(yield* large(2)).toEqual({ _tag: "Committed", events: { first: 1, last: 1 } })
      })
    )
  )

  it("answers LedgerUnavailable while another process keeps the writer, and goes on afterwards", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const file = yield* temporaryFile
          const layer = Layer.provideMerge(SqlStores.layer, SqliteClient.layer({ filename: file, busyTimeoutMs: 10 }))
          yield* Effect.gen(function* () {
            const other = yield* Effect.acquireRelease(
              Effect.sync(() => new Sqlite(file)),
              (db) => Effect.sync(() => db.close())
            )
            other.prepare("BEGIN IMMEDIATE").run()
            expect(yield* failure(seedChanges(1))).toMatchObject({
              _tag: "LedgerUnavailable",
              reason: expect.stringContaining("SQLITE_BUSY")
            })
            expect((yield* race([seedChanges(1), seedChanges(1)])).every(Exit.isFailure)).toBe(true)
            expect((yield* Effect.exit(sqlOf((sql) => sql.withTransaction(sql`SELECT 1`))))._tag).toBe("Failure")
            other.prepare("ROLLBACK").run()
            yield* seedChanges(1)
          }).pipe(Effect.provide(layer))
        })
      )
    ))

  it(
    "refuses a status step that the lifecycle lacks, whoever writes it",
    onFile(() =>
      Effect.gen(function* () {
        yield* seedChanges(1)
        const write = (statement: string) => Effect.exit(sqlOf((sql) => sql.unsafe(statement)))
        expect(Exit.isFailure(yield* write(`UPDATE pawl_change SET "status" = 'completed'`))).toBe(true)
        expect(
          Exit.isFailure(
            yield* write(
              `INSERT INTO pawl_change (project_id, id, revision, data, "status") VALUES ('p', 'c', 1, '{}', 'running')`
            )
          )
        ).toBe(true)
        expect(Exit.isSuccess(yield* write(`UPDATE pawl_change SET "status" = 'compiling'`))).toBe(true)
      })
    )
  )

  it(
    "names the row that cannot be read, and does not repeat what stands in it",
    onFile(() =>
      Effect.gen(function* () {
        yield* seedChanges(2)
        yield* sqlOf((sql) => sql`UPDATE pawl_change SET data = '{"secret": "hunter2"}' WHERE id = ${changeId(1)}`)
        const problem = yield* failure(stored("change", changeId(1)))
        expect(String(problem)).not.toContain("hunter2")
        const fact = yield* failure(Effect.flatMap(Records, (records) => records.get("change", changeId(1))))
        expect(fact).toMatchObject({ _tag: "LedgerUnavailable", reason: expect.stringContaining(changeId(1)) })
        expect(fact.reason).not.toContain("hunter2")
        expect((yield* stored("change", changeId(2))).revision).toBe(1)
        yield* sqlOf((sql) => sql`UPDATE pawl_change SET data = 'no json' WHERE id = ${changeId(1)}`)
        expect((yield* failure(Effect.flatMap(Records, (records) => records.list("change", {}))))._tag).toBe(
          "LedgerUnavailable"
        )
      })
    )
  )

  it(
    "stores no record that is not what its schema says",
    onFile(() =>
      Effect.gen(function* () {
        const broken = { ...token(1, 1), hash: "short" }
        expect(
          Exit.isFailure(yield* Effect.exit(commit({ projectId: null, writes: [insert("token", broken as never)] })))
        ).toBe(true)
        expect(yield* revisionOf("token", token(1, 1).id)).toBe(null)
      })
    )
  )

  it("starts again on a file that is in shape, and refuses one from which a newer version took what it needs", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const file = yield* temporaryFile
          yield* Effect.provide(seedChanges(1), storesOn(file))
          yield* Effect.provide(
            Effect.andThen(
              Effect.map(revisionOf("change", changeId(1)), (revision) => expect(revision).toBe(1)),
              sqlOf((sql) => sql`INSERT INTO pawl_contraction (number, at) VALUES (99, 0)`)
            ),
            storesOn(file)
          )
          expect(yield* failure(Effect.provide(revisionOf("change", changeId(1)), storesOn(file)))).toMatchObject({
            _tag: "LedgerUnavailable",
            operation: "migrate"
          })
        })
      )
    ))

  it("fills a column that was added since the file was made", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const file = yield* temporaryFile
          yield* Effect.provide(
            Effect.gen(function* () {
              yield* commit({ projectId: null, writes: [insert("token", token(1, 1)), insert("token", token(2, 2))] })
              yield* sqlOf((sql) =>
                Effect.andThen(
                  sql.unsafe(`DROP INDEX "pawl_token_userId"`),
                  sql.unsafe(`ALTER TABLE pawl_token DROP COLUMN "userId"`)
                )
              )
            }),
            storesOn(file)
          )
          const found = yield* Effect.provide(
            Effect.flatMap(Records, (all) => all.list("token", { where: { userId: token(2, 2).userId } })),
            storesOn(file)
          )
          expect(found.items.map((each) => each.record.id)).toEqual([token(2, 2).id])
        })
      )
    ))
})

describe("SqliteClient", () => {
  it(
    "makes a failed COMMIT an SqlError and is usable afterwards",
    onFile(() =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql.unsafe("PRAGMA foreign_keys = ON")
        yield* sql.unsafe("CREATE TABLE parent (id INTEGER PRIMARY KEY)")
        yield* sql.unsafe("CREATE TABLE child (id INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)")
        const orphan = sql`INSERT INTO child (id) VALUES (1)`
        expect(yield* failure(sql.withTransaction(orphan))).toMatchObject({ _tag: "SqlError" })
        const database = yield* Database
        expect(
          yield* failure(database.batch([{ sql: "INSERT INTO child (id) VALUES (?)", params: [1] }]))
        ).toMatchObject({ _tag: "SqlError" })
        expect(yield* sql.withTransaction(sql`SELECT count(*) AS n FROM child`)).toEqual([{ n: 0 }])
      })
    )
  )

  it(
    "gives a reader its turn while a fiber loops transactions",
    onFile(() =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        let transactions = 0
        const looping = yield* Effect.forkChild(
          Effect.forever(
            sql.withTransaction(
              Effect.andThen(
                sql`SELECT 1`,
                Effect.andThen(
                  Effect.yieldNow,
                  Effect.sync(() => void transactions++)
                )
              )
            )
          )
        )
        const waits: Array<number> = []
        for (let i = 0; i < 20; i++) {
          const before = transactions
          yield* Effect.andThen(Effect.yieldNow, sql`SELECT 2`)
          waits.push(transactions - before)
        }
        yield* Fiber.interrupt(looping)
        // In turn: at most the transaction that runs, and one that began while this fiber was not asking yet.
        expect(Math.max(...waits)).toBeLessThanOrEqual(3)
        yield* seedChanges(1)
      })
    )
  )

  it(
    "keeps transactions apart, and undoes one that is interrupted or fails",
    onFile(() =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql.unsafe("CREATE TABLE t (n INTEGER)")
        const add = sql.withTransaction(
          Effect.gen(function* () {
            const [row] = yield* sql<{ n: number }>`SELECT count(*) AS n FROM t`
            yield* Effect.yieldNow
            yield* sql`INSERT INTO t (n) VALUES (${row!.n})`
          })
        )
        yield* race(Array.from({ length: 16 }, () => add))
        yield* Effect.exit(sql.withTransaction(Effect.andThen(sql`INSERT INTO t (n) VALUES (99)`, Effect.fail("no"))))
        yield* Effect.exit(sql.withTransaction(Effect.andThen(sql`INSERT INTO t (n) VALUES (98)`, Effect.interrupt)))
        const outer = sql.withTransaction(
          Effect.andThen(
            sql`INSERT INTO t (n) VALUES (16)`,
            Effect.exit(sql.withTransaction(Effect.andThen(sql`INSERT INTO t (n) VALUES (97)`, Effect.fail("no"))))
          )
        )
        yield* outer
        expect((yield* sql<{ n: number }>`SELECT n FROM t ORDER BY rowid`).map((row) => row.n)).toEqual(
          Array.from({ length: 17 }, (_, n) => n)
        )
      })
    )
  )
})
