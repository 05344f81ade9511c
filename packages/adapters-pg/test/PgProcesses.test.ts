import * as SqlClient from "effect/sql/SqlClient"
import { Effect, Fiber, Layer, type Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { Commands } from "@pawl/core/work/Commands"
import { EventLog } from "@pawl/core/event/EventLog"
import { claim, command, commit, event, ids, projectId, race, send } from "@pawl/testing/tools/StoreFixtures"
import { childOf } from "./Child.ts"
import { newSchema, onPostgres, storesOn, url } from "./PgFixture.ts"

/** The clock stands still: nothing here is found by looking again after a while. */
const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) =>
  Effect.runPromise(Effect.provide(Effect.scoped(effect), TestClock.layer()))

const two = Effect.suspend(() => {
  const schema = newSchema()
  return Effect.all([Layer.build(storesOn(schema)), Layer.build(storesOn(schema))])
})

onPostgres("Postgres with several processes", () => {
  it("brings an empty database to shape once when four processes start on it at the same time", () =>
    run(
      Effect.gen(function* () {
        const schema = newSchema()
        const children = yield* Effect.all(
          Array.from({ length: 4 }, () => childOf("Migrate", [url, schema])),
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
          storesOn(schema)
        )
        expect(rows.map((row) => row.version)).toEqual(rows.map((_, index) => index + 1))
      })
    ))

  it("starts on a database in use without waiting for those at work, nor they for it", () =>
    run(
      Effect.gen(function* () {
        const schema = newSchema()
        const here = yield* Layer.build(storesOn(schema))
        const sql = yield* Effect.provide(SqlClient.SqlClient, here)
        yield* sql.withTransaction(
          Effect.gen(function* () {
            // A commit in its middle: it has written, and has yet to write.
            yield* sql`UPDATE pawl_change SET revision = revision WHERE id = 'none'`
            yield* sql`LOCK TABLE pawl_change IN ROW EXCLUSIVE MODE`
            yield* Layer.build(storesOn(schema))
            yield* sql`LOCK TABLE pawl_task IN ROW EXCLUSIVE MODE`
          })
        )
      })
    ))

  it("shows a follower and a waiting worker at once what another process committed", () =>
    run(
      Effect.gen(function* () {
        const [here, there] = yield* two
        const log = yield* Effect.provide(EventLog, here)
        const following = yield* Effect.forkChild(Stream.runCollect(Stream.take(log.follow(projectId(), 0), 2)))
        yield* Effect.provide(commit({ events: [event({ n: 1 })] }), there)
        yield* Effect.provide(commit({ events: [event({ n: 2 })] }), there)
        expect((yield* Fiber.join(following)).map((each) => each.sequence)).toEqual([1, 2])
        expect(yield* Effect.provide(claim(), here)).toEqual([])
        const waiting = yield* Effect.forkChild(
          Effect.provide(
            Effect.flatMap(Commands, (all) => all.awaitWork(60_000)),
            here
          )
        )
        yield* Effect.provide(send([command("a", { delayMs: 0 })]), there)
        yield* Fiber.join(waiting)
        expect(ids(yield* Effect.provide(claim(), here))).toEqual(["agent.wake:a"])
      })
    ))

  it("hands every command to one of eight claimers of two processes, and lets no Project wait for a crowded one", () =>
    run(
      Effect.gen(function* () {
        const [here, there] = yield* two
        const crowd = Array.from({ length: 200 }, (_, n) => command(`crowd-${n}`))
        for (let at = 0; at < crowd.length; at += 50)
          yield* Effect.provide(send(crowd.slice(at, at + 50), projectId(1)), here)
        for (let project = 2; project <= 9; project++)
          yield* Effect.provide(send([command(`lone-${project}`)], projectId(project)), here)
        const order: Array<string> = []
        const claimer = (store: typeof here) =>
          Effect.repeat(
            Effect.map(Effect.provide(claim(1, { leaseMs: 60_000 }), store), (leased) => {
              order.push(...ids(leased))
              return leased.length
            }),
            { while: (count) => count > 0 }
          )
        yield* race(Array.from({ length: 8 }, (_, n) => claimer(n % 2 === 0 ? here : there)))
        expect(order.length).toBe(208)
        expect(new Set(order).size).toBe(208)
        const lone = order.flatMap((id, place) => (id.includes("lone") ? [place] : []))
        // In turn, each waits for the others once; eight who claim at the same moment may each take one too many.
        expect(Math.max(...lone)).toBeLessThan(8 + 2 * 8)
      })
    ))
})
