import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { nowMillis } from "@pawl/core/primitives/Time"
import { StoreTimeMoved } from "@pawl/core/primitives/StoreTime"
import { Database } from "@pawl/sql/Database"
import * as StoreClock from "@pawl/sql/StoreClock"
import { insert } from "@pawl/core/ledger/Commit"
import * as SqlStores from "@pawl/sql/SqlStores"
import * as SetClock from "@pawl/testing/tools/SetClock"
import { change, commit } from "@pawl/testing/tools/StoreFixtures"
import { Clock, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as PgClient from "../src/PgClient.ts"
import * as FakeTime from "./FakeTime.ts"
import { onPostgres, url } from "./PgFixture.ts"
import * as PostgresServer from "./PostgresServer.ts"

const hourMs = 3_600_000
const reason = (await PostgresServer.whyNotOwn()) ?? FakeTime.whyNot

/** What the database's clock says, and between which two times of the program's own that was. */
const asked = Effect.gen(function* () {
  const database = yield* Database
  const before = yield* nowMillis
  const [row] = yield* database.query({ sql: "SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms", params: [] })
  return { before, database: Number(row?.["ms"]), after: yield* nowMillis }
})

/** Waits for the next state of the clock: whether it moved. */
const untilMoved = (isMoved: boolean) =>
  Effect.gen(function* () {
    const moved = yield* StoreTimeMoved
    while (((yield* moved) !== null) !== isMoved) yield* Effect.sleep(50)
    return yield* moved
  })

const clocked = (at: string) =>
  Layer.provideMerge(StoreClock.layer, PgClient.layer({ url: Redacted.make(at), schema: "pawl_clock" }))

describe.skipIf(reason !== null)(`The clock of a program on Postgres (${reason ?? "whose clock is set"})`, () => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-clock-"))
  const file = join(folder, "offset")
  let postgres: PostgresServer.OwnPostgres
  // Whole, or Postgres would read half of a line.
  const set = (by: string) => writeFileSync(file, `${by}\n`)
  beforeAll(async () => {
    chmodSync(folder, 0o755)
    set("+1h")
    postgres = await PostgresServer.startOwn(["fsync=off"], FakeTime.offByFile(file))
  })
  afterAll(async () => {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it("is the database's, an hour from the machine's, and follows it where it is set; it tells until it is steady again", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const machine = yield* nowMillis
        yield* Effect.gen(function* () {
          const { after, before, database } = yield* asked
          expect(before - machine).toBeGreaterThan(hourMs - 60_000)
          // The error of a reading: as long as its answer takes.
          expect(database).toBeGreaterThanOrEqual(before - 1000)
          expect(database).toBeLessThanOrEqual(after + 1000)
          expect(yield* yield* StoreTimeMoved).toBe(null)
          set("-1h")
          const moved = yield* untilMoved(true)
          expect(Math.round((moved ?? 0) / hourMs)).toBe(-2)
          expect((yield* nowMillis) - machine).toBeLessThan(60_000 - hourMs)
          yield* untilMoved(false)
          expect((yield* nowMillis) - machine).toBeLessThan(60_000 - hourMs)
        }).pipe(Effect.provide(clocked(postgres.url)))
      })
    ))
})

onPostgres("The clock of a program on Postgres", () => {
  it.each([3_600_000, -3_600_000])("does not move where the machine's own is set by %i ms", (byMs) =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { clock, set } = yield* SetClock.make
        yield* Effect.gen(function* () {
          const before = yield* nowMillis
          yield* set(byMs)
          const after = yield* nowMillis
          expect(after).toBeGreaterThanOrEqual(before)
          expect(after - before).toBeLessThan(60_000)
        }).pipe(Effect.provide(clocked(url)), Effect.provideService(Clock.Clock, clock))
      })
    )
  )

  it("costs a commit nothing: it is one batch, and asks for no time", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const asked: Array<"query" | "batch"> = []
        const counted = Layer.effect(
          Database,
          Effect.map(Database, (database) => ({
            ...database,
            query: (query: Parameters<typeof database.query>[0]) => {
              asked.push("query")
              return database.query(query)
            },
            batch: (statements: Parameters<typeof database.batch>[0]) => {
              asked.push("batch")
              return database.batch(statements)
            }
          }))
        )
        const client = PgClient.layer({ url: Redacted.make(url), schema: "pawl_clock" })
        const stores = SqlStores.layer.pipe(
          Layer.provideMerge(StoreClock.layer),
          Layer.provide(counted),
          Layer.provide(client)
        )
        yield* Effect.gen(function* () {
          asked.length = 0
          yield* commit({ writes: [insert("change", change(1))] })
          expect(asked).toEqual(["batch"])
        }).pipe(Effect.provide(stores))
      })
    ))

  it("asks the database when it is made, and then not before ten seconds have passed", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        let questions = 0
        const counted = Layer.effect(
          Database,
          Effect.map(Database, (database) => ({
            ...database,
            query: (query: Parameters<typeof database.query>[0]) => {
              questions++
              return database.query(query)
            }
          }))
        )
        const services = yield* Layer.build(
          StoreClock.layer.pipe(
            Layer.provide(counted),
            Layer.provide(PgClient.layer({ url: Redacted.make(url), schema: "pawl_clock" }))
          )
        )
        expect(questions).toBe(3)
        yield* Effect.provide(Effect.replicateEffect(nowMillis, 1000, { discard: true }), services)
        yield* TestClock.adjust(9_999)
        expect(questions).toBe(3)
      }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
    ))
})
