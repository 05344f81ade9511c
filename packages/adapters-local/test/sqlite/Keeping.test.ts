/** What waits for the disk, and what does not. */
import type * as SqlClient from "effect/sql/SqlClient"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as SqliteClient from "@pawl/adapters-local/sqlite/SqliteClient"
import { Commands } from "@pawl/core/work/Commands"
import { Ledger } from "@pawl/core/ledger/Ledger"
import type { Keeping } from "@pawl/core/ledger/Commit"
import { Database, type Outcome } from "@pawl/sql/Database"
import * as SqlStores from "@pawl/sql/SqlStores"
import { temporaryFile } from "./SqliteFixture.ts"

/** SQLite's words for it: 2 is FULL, 1 is NORMAL, which leaves the log to the next full one. */
const level = { sql: "SELECT synchronous FROM pragma_synchronous", params: [] }
const levelOf = (outcome: Outcome): unknown =>
  outcome._tag === "Applied" ? outcome.answers[0]?.[0]?.["synchronous"] : outcome

const onFile = <A, E>(body: Effect.Effect<A, E, Database | SqlClient.SqlClient>) =>
  Effect.flatMap(temporaryFile, (filename) => Effect.provide(body, SqliteClient.layer({ filename }))).pipe(
    Effect.scoped,
    Effect.runPromise
  )

describe("A batch", () => {
  it("waits for the disk unless it is passing, alone and beside others, and so does what comes after", () =>
    onFile(
      Effect.gen(function* () {
        const database = yield* Database
        const asked = (keeping?: Keeping) => Effect.map(database.batch([level], keeping), levelOf)
        const beside = (...all: ReadonlyArray<Keeping>) => Effect.all(all.map(asked), { concurrency: "unbounded" })
        const now = Effect.map(database.query(level), ([row]) => row?.["synchronous"])
        expect([yield* asked(), yield* asked("lasting"), yield* asked("passing"), yield* now]).toEqual([2, 2, 1, 2])
        expect(yield* beside("passing", "passing")).toEqual([1, 1])
        expect(yield* beside("passing", "lasting", "passing")).toEqual([2, 2, 2])
        const missed = database.batch([{ ...level, rows: 2 }], "passing")
        const failed = database.batch([{ sql: "INSERT INTO nowhere VALUES (1)", params: [] }], "passing")
        expect([(yield* missed)._tag, (yield* Effect.flip(failed))._tag, yield* now]).toEqual(["Missed", "SqlError", 2])
      })
    ))
})

/** The database, and how each of its batches was kept since `during` began. */
const noting = (database: Database["Service"]) => {
  const kept: Array<Keeping> = []
  const noted = Database.of({
    ...database,
    batch: (statements, keeping = "lasting") =>
      Effect.suspend(() => {
        kept.push(keeping)
        return database.batch(statements, keeping)
      })
  })
  const during = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.map(
      Effect.suspend(() => (kept.splice(0), work)),
      () => [...kept]
    )
  return { noted, during }
}

const send = Effect.flatMap(Ledger, (ledger) =>
  ledger.commit({
    name: "test",
    projectId: null,
    commands: [{ kind: "lane.step", id: "lane.step:one", payload: {}, maxAttempts: 2 }]
  })
)
const claim = Effect.flatMap(Commands, (commands) =>
  Effect.map(
    commands.claim({ worker: "w", limit: 1, leaseMs: 60_000, kinds: ["lane.step"] }),
    ([leased]) => leased!.lease
  )
)

describe("Of the queue", () => {
  it("a claim, its return, its end and a step that says so are passing; what is sent, any other step and a try that failed last", () =>
    onFile(
      Effect.gen(function* () {
        const { during, noted } = noting(yield* Database)
        yield* Effect.gen(function* () {
          const commands = yield* Commands
          expect(yield* during(send)).toEqual(["lasting"])
          expect(yield* during(claim)).toEqual(["passing"])
          yield* commands.releaseAll
          const returned = yield* claim
          expect(yield* during(commands.release(returned, 0))).toEqual(["passing"])
          const failed = yield* claim
          expect(yield* during(commands.fail(failed, "no", 0))).toEqual(["lasting"])
          const stepped = yield* claim
          const step = (keeping?: Keeping) =>
            Effect.flatMap(Ledger, (ledger) => {
              const journal = { process: stepped.commandId, step: keeping ?? "unsaid", result: null }
              return ledger.commit({
                name: "test",
                projectId: null,
                journal,
                lease: stepped,
                ...(keeping === undefined ? {} : { keeping })
              })
            })
          expect(yield* during(step("passing"))).toEqual(["passing"])
          expect(yield* during(step())).toEqual(["lasting"])
          yield* commands.release(stepped, 0)
          const finished = yield* claim
          expect(yield* during(commands.finish(finished))).toEqual(["passing"])
        }).pipe(Effect.provide(SqlStores.layer), Effect.provideService(Database, noted))
      })
    ))
})
