import * as SqlClient from "effect/sql/SqlClient"
import { Effect, Fiber, Layer, type Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Commands } from "@pawl/core/work/Commands"
import { EventLog } from "@pawl/core/event/EventLog"
import { insert } from "@pawl/core/ledger/Commit"
import { Records } from "@pawl/core/ledger/Records"
import {
  change,
  changeId,
  claim,
  command,
  commit,
  event,
  ids,
  projectId,
  send
} from "@pawl/testing/tools/StoreFixtures"
import { childOf, storesOn, temporaryFile } from "./SqliteFixture.ts"

const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Effect.scoped(effect))

describe("SQLite with several processes", () => {
  it("brings an empty file to shape once when four processes start on it at the same time", () =>
    run(
      Effect.gen(function* () {
        const file = yield* temporaryFile
        const children = yield* Effect.all(
          Array.from({ length: 4 }, () => childOf("Migrate", [file])),
          { concurrency: "unbounded" }
        )
        for (const child of children) expect(yield* child.line).toBe("ready")
        for (const child of children) yield* child.tell("go\n")
        for (const child of children) expect(yield* child.line).toBe("migrated")
        const rows = yield* Effect.provide(
          Effect.flatMap(
            SqlClient.SqlClient,
            (sql) => sql<{ version: number }>`SELECT version FROM pawl_migration ORDER BY version`
          ),
          storesOn(file)
        )
        expect(rows.length).toBeGreaterThan(1)
        expect(rows.map((row) => row.version)).toEqual(rows.map((_, index) => index + 1))
      })
    ))

  it("loses nothing that was acknowledged, and keeps the sequence dense, when a committing process is killed", () =>
    run(
      Effect.gen(function* () {
        const file = yield* temporaryFile
        const acknowledged = new Map<number, number>()
        for (let round = 0; round < 4; round++) {
          const child = yield* childOf("CommitForever", [file, String(round * 100_000 + 1)])
          for (let lines = 0; lines < 40 + round * 57; lines++) {
            const [n, sequence] = (yield* child.line)!.split(" ").map(Number)
            acknowledged.set(n!, sequence!)
          }
          yield* child.kill
          for (let rest = yield* child.line; rest !== null; rest = yield* child.line) {
            const [n, sequence] = rest.split(" ").map(Number)
            if (sequence !== undefined && rest.includes(" ")) acknowledged.set(n!, sequence)
          }
        }
        yield* Effect.provide(
          Effect.gen(function* () {
            const log = yield* EventLog
            const bySequence = new Map<number, unknown>()
            for (
              let after = 0, page = yield* log.read(projectId(), 0, 100);
              page.length > 0;
              page = yield* log.read(projectId(), after, 100)
            )
              for (const each of page) {
                expect(each.sequence).toBe(++after)
                bySequence.set(each.sequence, each.data["n"])
              }
            expect(acknowledged.size).toBeGreaterThan(400)
            for (const [n, sequence] of acknowledged) expect(bySequence.get(sequence)).toBe(n)
            const records = yield* Effect.flatMap(Records, (all) => all.list("change", { limit: "all" }))
            expect(new Set(records.items.map((each) => each.record.id))).toEqual(
              new Set([...bySequence.values()].map((n) => changeId(Number(n))))
            )
          }),
          storesOn(file)
        )
      })
    ))

  it("shows a follower and a waiting worker what another process committed, within half a second", () =>
    run(
      Effect.gen(function* () {
        const file = yield* temporaryFile
        const [here, there] = [yield* Layer.build(storesOn(file)), yield* Layer.build(storesOn(file))]
        const log = yield* Effect.provide(EventLog, here)
        const following = yield* Effect.forkChild(Stream.runCollect(Stream.take(log.follow(projectId(), 0), 2)))
        yield* Effect.yieldNow
        yield* Effect.provide(commit({ events: [event({ n: 1 })] }), there)
        yield* TestClock.adjust(500)
        yield* Effect.provide(commit({ events: [event({ n: 2 })] }), there)
        yield* TestClock.adjust(500)
        expect((yield* Fiber.join(following)).map((each) => each.sequence)).toEqual([1, 2])
        expect(yield* Effect.provide(claim(), here)).toEqual([])
        yield* TestClock.adjust(1)
        const waiting = yield* Effect.forkChild(
          Effect.provide(
            Effect.flatMap(Commands, (all) => all.awaitWork(60_000)),
            here
          )
        )
        yield* TestClock.adjust(100)
        yield* Effect.provide(send([command("a")]), there)
        yield* TestClock.adjust(500)
        yield* Fiber.join(waiting)
        expect(ids(yield* Effect.provide(claim(), here))).toEqual(["agent.wake:a"])
        yield* Effect.provide(commit({ writes: [insert("change", change())] }), there)
        expect((yield* Effect.provide(Effect.flip(commit({ writes: [insert("change", change())] })), here))._tag).toBe(
          "Conflict"
        )
      }).pipe(Effect.provide(TestClock.layer()))
    ))
})
