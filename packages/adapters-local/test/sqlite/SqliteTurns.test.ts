/** Who may use the one connection, and what is left of a transaction that did not come to its end. */
import { rounds, slice } from "@pawl/testing/Depth"
import Sqlite from "better-sqlite3"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Effect, Exit, Fiber, Layer } from "effect"
import { describe, expect, it } from "vitest"
import * as SqliteClient from "@pawl/adapters-local/sqlite/SqliteClient"
import * as Turns from "@pawl/adapters-local/sqlite/Turns"
import { Database } from "@pawl/sql/Database"
import { interleave, seededDraw } from "@pawl/testing/tools/SeededScheduler"
import { failure } from "@pawl/testing/tools/StoreFixtures"
import { temporaryFile } from "./SqliteFixture.ts"

const seeds = slice(
  Array.from({ length: 200 }, (_, seed) => seed),
  { quick: 50 }
)
/** Timers and sockets have their turn. */
const eventLoop = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

interface Both {
  readonly sql: SqlClient.SqlClient
  readonly database: Database["Service"]
  readonly file: string
}

/** A file with a table, and what speaks to it. */
const onTable =
  (body: (both: Both) => Effect.Effect<void, unknown>, options: { readonly busyTimeoutMs?: number } = {}) =>
  () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const file = yield* temporaryFile
          yield* Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            yield* sql`CREATE TABLE t (n INTEGER PRIMARY KEY)`
            yield* body({ sql, database: yield* Database, file })
          }).pipe(Effect.provide(SqliteClient.layer({ filename: file, ...options })))
        })
      )
    )

const numbers = ({ sql }: Both) =>
  Effect.map(sql<{ n: number }>`SELECT n FROM t ORDER BY n`, (rows) => rows.map(({ n }) => n))

describe("Turns", () => {
  it("are one at a time and never lost, whoever is interrupted and however fibers alternate", () => {
    for (const seed of seeds) {
      const draw = seededDraw(seed)
      const turns = Turns.make()
      let inside = 0
      const served: Array<number> = []
      const serve = (n: number) => Effect.sync(() => (expect(++inside).toBe(1), served.push(n), void inside--))
      const inPause = Effect.uninterruptibleMask((restore) =>
        Effect.andThen(
          Effect.map(turns.begin(restore), () => expect(++inside).toBe(1)),
          Effect.ensuring(
            restore(Effect.yieldNow),
            Effect.sync(() => (inside--, turns.end()))
          )
        )
      )
      const both = (n: number) =>
        Effect.andThen(
          inPause,
          turns.run(() => Effect.runSyncExit(serve(n)))
        )
      const programs = Array.from({ length: 6 }, (_, n) =>
        draw(2) === 0
          ? both(n)
          : Effect.gen(function* () {
              const fiber = yield* Effect.forkChild(both(n), { startImmediately: true })
              for (let pause = draw(4); pause > 0; pause--) yield* Effect.yieldNow
              yield* Fiber.interrupt(fiber)
            })
      )
      const { exits } = interleave(seed, programs)
      expect(exits.every(Exit.isSuccess)).toBe(true)
      let isFree = false
      turns.ask(() => {
        isFree = true
      })
      expect({ seed, isFree, inside }).toEqual({ seed, isFree: true, inside: 0 })
    }
  })

  it("pass through a crowd in order, and let the event loop go round before its end", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const turns = Turns.make()
        const served: Array<number> = []
        const crowd = 20_000
        turns.ask(() => undefined)
        const waiting = yield* Effect.forkChild(
          Effect.forEach(
            Array.from({ length: crowd }, (_, n) => n),
            (n) => turns.run(() => Exit.succeed(served.push(n))),
            { concurrency: "unbounded", discard: true }
          )
        )
        yield* eventLoop
        turns.end()
        yield* eventLoop
        expect(served.length).toBeLessThan(crowd)
        yield* Fiber.join(waiting)
        expect(served).toEqual(Array.from({ length: crowd }, (_, n) => n))
      })
    ))
})

describe("SQLite among many fibers", () => {
  it(
    "lets readers, transactions, batches and timers through while others write in a loop",
    onTable(({ database, sql }) =>
      Effect.gen(function* () {
        let n = 0
        const next = () => `INSERT INTO t (n) VALUES (${++n})`
        const statement = Effect.suspend(() => sql.unsafe(next()))
        const batch = Effect.suspend(() => database.batch([{ sql: next(), params: [], rows: 1 }]))
        const transaction = sql.withTransaction(Effect.andThen(statement, Effect.andThen(Effect.yieldNow, statement)))
        const loops = yield* Effect.forEach([statement, batch, transaction, batch, transaction], (each) =>
          Effect.forkChild(Effect.forever(each))
        )
        for (let round = 0; round < 20; round++) {
          yield* eventLoop
          for (const each of [statement, batch, transaction]) yield* each
        }
        yield* Fiber.interruptAll(loops)
        yield* transaction
        expect(n).toBeGreaterThan(20 * 4 + 2)
      })
    )
  )

  it(
    "undoes a transaction that is interrupted anywhere, keeps the others, and is free afterwards",
    onTable((both) =>
      Effect.gen(function* () {
        const { sql } = both
        for (const seed of seeds.slice(0, rounds({ quick: 20, deep: 60 }))) {
          const draw = seededDraw(seed)
          const pair = (n: number) =>
            sql.withTransaction(
              Effect.andThen(
                sql`INSERT INTO t (n) VALUES (${n})`,
                Effect.andThen(Effect.yieldNow, sql`INSERT INTO t (n) VALUES (${n + 1})`)
              )
            )
          const { exits } = interleave(
            seed,
            Array.from({ length: 6 }, (_, n) =>
              n % 2 === 0
                ? Effect.exit(pair(2 * n))
                : Effect.gen(function* () {
                    const fiber = yield* Effect.forkChild(pair(2 * n), { startImmediately: true })
                    for (let pause = draw(12); pause > 0; pause--) yield* Effect.yieldNow
                    yield* Fiber.interrupt(fiber)
                    return yield* Fiber.await(fiber)
                  })
            )
          )
          const kept = new Set(yield* numbers(both))
          for (const [n, exit] of exits.entries()) {
            expect({ seed, n, halves: kept.has(2 * n) === kept.has(2 * n + 1) }).toEqual({ seed, n, halves: true })
            // Who is interrupted after the COMMIT has committed.
            if (Exit.isSuccess(exit) && Exit.isSuccess(exit.value)) expect(kept.has(2 * n)).toBe(true)
            if (n % 2 === 0) expect(kept.has(2 * n)).toBe(true)
          }
          yield* sql.withTransaction(sql`DELETE FROM t`)
        }
      })
    )
  )

  it(
    "tells of the failure that made SQLite undo a transaction, and is usable afterwards",
    onTable((both) =>
      Effect.gen(function* () {
        const { sql } = both
        yield* sql`INSERT INTO t (n) VALUES (1)`
        const undoing = sql`INSERT OR ROLLBACK INTO t (n) VALUES (1)`
        const problem = yield* failure(sql.withTransaction(Effect.andThen(sql`INSERT INTO t (n) VALUES (2)`, undoing)))
        expect(problem.reason._tag).toBe("ConstraintError")
        const inner = yield* failure(
          sql.withTransaction(Effect.andThen(sql`INSERT INTO t (n) VALUES (3)`, sql.withTransaction(undoing)))
        )
        expect(inner.reason._tag).toBe("ConstraintError")
        expect(yield* sql.withTransaction(numbers(both))).toEqual([1])
      })
    )
  )

  it(
    "runs nothing outside of a transaction that SQLite has undone by itself",
    onTable((both) =>
      Effect.gen(function* () {
        const { sql } = both
        yield* sql`INSERT INTO t (n) VALUES (1)`
        const undoing = Effect.exit(sql`INSERT OR ROLLBACK INTO t (n) VALUES (1)`)
        const fails = (after: Effect.Effect<unknown, SqlError>) =>
          Effect.map(failure(sql.withTransaction(Effect.andThen(undoing, after))), ({ reason }) =>
            expect(String(reason.cause)).toContain("SQLite has undone this transaction")
          )
        yield* fails(sql`INSERT INTO t (n) VALUES (2)`)
        // It cannot be committed either.
        yield* fails(Effect.exit(sql`INSERT INTO t (n) VALUES (3)`))
        yield* fails(sql.withTransaction(sql`INSERT INTO t (n) VALUES (4)`))
        expect(yield* numbers(both)).toEqual([1])
      })
    )
  )

  it(
    "gives up a transaction that another process keeps from the writer, and lets the next one in",
    onTable(
      (both) =>
        Effect.gen(function* () {
          const { database, file, sql } = both
          const other = yield* Effect.acquireRelease(
            Effect.sync(() => new Sqlite(file)),
            (db) => Effect.sync(() => db.close())
          )
          other.prepare("BEGIN IMMEDIATE").run()
          const add = sql.withTransaction(sql`INSERT INTO t (n) VALUES (1)`)
          expect((yield* failure(add)).reason._tag).toBe("LockTimeoutError")
          expect((yield* failure(database.batch([{ sql: "DELETE FROM t", params: [] }]))).reason._tag).toBe(
            "LockTimeoutError"
          )
          expect(yield* numbers(both)).toEqual([])
          other.prepare("COMMIT").run()
          yield* add
          expect(yield* numbers(both)).toEqual([1])
        }).pipe(Effect.scoped),
      { busyTimeoutMs: 10 }
    )
  )

  it(
    "runs what was to follow a commit once it is there, and not after a COMMIT that failed",
    onTable((both) =>
      Effect.gen(function* () {
        const { sql } = both
        yield* sql.unsafe("PRAGMA foreign_keys = ON")
        yield* sql.unsafe("CREATE TABLE child (n INTEGER REFERENCES t (n) DEFERRABLE INITIALLY DEFERRED)")
        const told: Array<ReadonlyArray<number>> = []
        const tell = sql.afterCommit(Effect.orDie(Effect.map(numbers(both), (found) => void told.push(found))))
        const orphan = sql`INSERT INTO child (n) VALUES (7)`
        const problem = yield* failure(sql.withTransaction(Effect.andThen(orphan, tell)))
        expect(problem.reason._tag).toBe("ConstraintError")
        expect(told).toEqual([])
        yield* sql.withTransaction(Effect.andThen(orphan, Effect.andThen(tell, sql`INSERT INTO t (n) VALUES (7)`)))
        expect(told).toEqual([[7]])
      })
    )
  )
})

it("says what is wrong with a file that cannot be opened", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const layer = SqliteClient.layer({ filename: "/nowhere/pawl.db" })
      const problem = yield* failure(Effect.scoped(Layer.build(layer)))
      expect(problem.message).toBe("Failed to open /nowhere/pawl.db")
    })
  ))
