import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import * as EventRouter from "@pawl/core/event/EventRouter"
import * as RouterLoop from "@pawl/core/event/RouterLoop"
import { Limits } from "@pawl/core/primitives/Limits"
import * as SqliteClient from "@pawl/adapters-local/sqlite/SqliteClient"
import { Database } from "@pawl/sql/Database"
import * as SqlStores from "@pawl/sql/SqlStores"
import { commit, event, projectId, time } from "@pawl/testing/tools/StoreFixtures"
import { temporaryFile } from "./SqliteFixture.ts"

const many = Array.from({ length: 60 }, (_, index) => index + 1)

/** Runs a program over a SQLite file, under the test clock; `asked` says what the store was asked since the last call. */
const counted = <A, E>(program: (asked: () => ReadonlyArray<string>) => Effect.Effect<A, E, SqlStores.Stores>) => {
  const statements: Array<string> = []
  const counting = (database: Database["Service"]): Database["Service"] => ({
    ...database,
    query: (query) => Effect.suspend(() => (statements.push(query.sql), database.query(query))),
    batch: (batch) => Effect.suspend(() => (statements.push(...batch.map(({ sql }) => sql)), database.batch(batch)))
  })
  const stores = Effect.map(temporaryFile, (filename) =>
    SqlStores.layer.pipe(
      Layer.provide(
        Layer.effectContext(
          Effect.map(Layer.build(SqliteClient.layer({ filename })), (context) =>
            Context.add(context, Database, counting(Context.get(context, Database)))
          )
        )
      )
    )
  )
  return Effect.runPromise(
    Effect.andThen(
      TestClock.setTime(Date.UTC(2030, 0, 1)),
      Effect.provide(
        program(() => statements.splice(0)),
        Layer.unwrap(stores)
      )
    ).pipe(Effect.provide(TestClock.layer()))
  )
}

/** Lets the file's answers come, which the test clock knows nothing of. */
const until = (done: () => boolean) =>
  Effect.repeat(
    Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
    { until: done }
  )

describe("A router of events over SQLite", () => {
  it("asks a few questions in an idle minute, however many webhooks there are, and hears the next event at once", () =>
    counted((asked) =>
      Effect.gen(function* () {
        for (const n of many) {
          const joining = EventRouter.newGroup(projectId(n), `test:${n}`, 0, time)
          yield* commit({ projectId: projectId(n), writes: [joining], events: [event({ n })] })
        }
        const applied: Array<unknown> = []
        const routing = yield* Effect.forkChild(
          RouterLoop.run(() => (each) => Effect.sync(() => (applied.push(each.data["n"]), null)))
        )
        yield* until(() => applied.length === many.length)
        yield* TestClock.adjust(Limits.routerLookMs)
        let quiet = 0
        yield* until(() => (asked().length === 0 ? ++quiet > 50 : (quiet = 0) > 0))
        for (let halves = 0; halves < 120; halves++) {
          yield* TestClock.adjust(500)
          yield* until(() => true)
        }
        expect(asked().length).toBeLessThanOrEqual(3)
        yield* commit({ projectId: projectId(7), events: [event({ n: "next" })] })
        yield* until(() => applied.includes("next"))
        expect(applied).toHaveLength(many.length + 1)
        yield* Fiber.interrupt(routing)
      })
    ))
})
