import { Commands } from "@pawl/core/work/Commands"
import { EventLog } from "@pawl/core/event/EventLog"
import * as NatsNotices from "@pawl/adapters-nats/NatsNotices"
import * as PgClient from "@pawl/adapters-pg/PgClient"
import * as SqlStores from "@pawl/sql/SqlStores"
import { claim, command, commit, event, ids, projectId, send } from "@pawl/testing/tools/StoreFixtures"
import { Effect, Fiber, Layer, Redacted, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as NatsServer from "../../../adapters-nats/test/NatsServer.ts"
import * as PostgresServer from "../../../adapters-pg/test/PostgresServer.ts"

const missing = NatsServer.whyNot() ?? (await PostgresServer.whyNot())
if (missing !== null) console.warn(`SKIPPED: ${missing}`)

describe.skipIf(missing !== null)("Two processes on one Postgres, with notices over NATS", () => {
  let nats: NatsServer.NatsServer
  let postgres: PostgresServer.PostgresServer
  beforeAll(async () => {
    ;[nats, postgres] = await Promise.all([NatsServer.start(), PostgresServer.start()])
  })
  afterAll(async () => {
    await Promise.all([nats?.stop(), postgres?.stop()])
  })

  const joined = Effect.suspend(() => {
    const notices = NatsNotices.join({ servers: [nats.at], tls: false, login: null, credentials: null })
    return Layer.build(
      Layer.provideMerge(SqlStores.layer, PgClient.layer({ url: Redacted.make(postgres.url), notices }))
    )
  })

  // The clock stands still: nothing here is found by looking again after a while.
  it("show a follower and a waiting worker at once what the other committed, and Postgres listens to nobody", () =>
    Effect.gen(function* () {
      const [here, there] = [yield* joined, yield* joined]
      const log = yield* Effect.provide(EventLog, here)
      const following = yield* Effect.forkChild(Stream.runCollect(Stream.take(log.follow(projectId(), 0), 2)))
      yield* Effect.provide(commit({ events: [event({ n: 1 })] }), there)
      yield* Effect.provide(commit({ events: [event({ n: 2 })] }), there)
      expect((yield* Fiber.join(following)).map((each) => each.sequence)).toEqual([1, 2])
      expect(yield* Effect.provide(claim(), here)).toEqual([])
      const commands = yield* Effect.provide(Commands, here)
      const waiting = yield* Effect.forkChild(commands.awaitWork(60_000))
      yield* Effect.provide(send([command("a", { delayMs: 0 })]), there)
      yield* Fiber.join(waiting)
      expect(ids(yield* Effect.provide(claim(), here))).toEqual(["agent.wake:a"])
      const sql = yield* Effect.provide(SqlClient.SqlClient, here)
      expect(yield* sql`SELECT query FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`).toEqual([])
    }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise))
})
