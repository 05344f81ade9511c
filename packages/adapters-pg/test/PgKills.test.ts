import { rounds } from "@pawl/testing/Depth"
import * as SqlClient from "effect/sql/SqlClient"
import { Effect, Layer, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { EventLog } from "@pawl/core/event/EventLog"
import { insert } from "@pawl/core/ledger/Commit"
import { Records } from "@pawl/core/ledger/Records"
import * as PgClient from "@pawl/adapters-pg/PgClient"
import * as SqlStores from "@pawl/sql/SqlStores"
import { change, changeId, command, commit, event, projectId } from "@pawl/testing/tools/StoreFixtures"
import * as PostgresServer from "./PostgresServer.ts"

/** How many kills the title tells of; a quick run makes some of them. */
const told = 20
const kills = rounds({ quick: 4, deep: told, long: 10 * told })
const fibers = 16
/** How many answers lie between two kills. */
const answersApart = 60

const reason = await PostgresServer.whyNotOwn()
if (reason !== null) console.warn(`SKIPPED: ${reason}`)

/** Commits one thing after the other, each until it is answered, whatever happens to the server meanwhile. */
const load = (fiber: number, answered: (n: number) => void, stopped: () => boolean) =>
  Effect.gen(function* () {
    for (let n = fiber; !stopped(); n += fibers) {
      const one = commit({
        writes: [insert("change", change(n))],
        events: [event({ n })],
        commands: [command(`c${n}`)]
      })
      // Once its record is there, what is sent again conflicts with it: then the lost answer was that it was applied.
      for (let done = false; !done;) {
        const outcome = yield* Effect.result(one)
        done = outcome._tag === "Success" || outcome.failure._tag === "Conflict"
        if (!done) yield* Effect.sleep(20)
      }
      answered(n)
    }
  })

const eventsIn = Effect.gen(function* () {
  const log = yield* EventLog
  const found: Array<{ readonly sequence: number; readonly n: number }> = []
  for (let page = yield* log.read(projectId(), 0, 100); page.length > 0;) {
    for (const { data, sequence } of page) found.push({ sequence, n: Number(data["n"]) })
    page = yield* log.read(projectId(), found.length, 100)
  }
  return found
})

describe.skipIf(reason !== null)("Postgres killed under load", () => {
  it(
    `loses nothing that was acknowledged, and applies each commit once, over ${told} kills`,
    { timeout: rounds({ quick: 300_000, deep: 300_000, long: 1_100_000 }) },
    async () => {
      const server = await PostgresServer.startOwn()
      try {
        const stores = Layer.provideMerge(SqlStores.layer, PgClient.layer({ url: Redacted.make(server.url) }))
        await Effect.runPromise(
          Effect.provide(
            Effect.gen(function* () {
              const answers: Array<number> = []
              let enough: { readonly at: number; readonly tell: () => void } | undefined
              let stopped = false
              const answered = (n: number) => {
                answers.push(n)
                if (enough !== undefined && answers.length >= enough.at) enough.tell()
              }
              const more = Effect.callback<void>((resume) => {
                enough = { at: answers.length + answersApart, tell: () => resume(Effect.void) }
              })
              const loads = Effect.forEach(
                Array.from({ length: fibers }, (_, fiber) => fiber + 1),
                (fiber) => load(fiber, answered, () => stopped),
                { concurrency: "unbounded", discard: true }
              )
              const killing = Effect.gen(function* () {
                for (let kill = 0; kill < kills; kill++) {
                  yield* more
                  yield* Effect.promise(server.kill)
                  yield* Effect.promise(server.start)
                }
                yield* more
                stopped = true
              })
              yield* Effect.all([loads, killing], { concurrency: "unbounded" })
              const expected = answers.toSorted((a, b) => a - b)
              const ordered = (all: ReadonlyArray<number>) => all.toSorted((a, b) => a - b)
              const events = yield* eventsIn
              expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
              expect(ordered(events.map(({ n }) => n))).toEqual(expected)
              const records = yield* Effect.flatMap(Records, (all) => all.list("change", { limit: "all" }))
              expect(new Set(records.items.map(({ record }) => record.id))).toEqual(new Set(expected.map(changeId)))
              const sql = yield* SqlClient.SqlClient
              const waiting = yield* sql<{ id: string }>`SELECT id FROM pawl_command`
              expect(ordered(waiting.map(({ id }) => Number(id.split(":c")[1])))).toEqual(expected)
              console.log(
                `Postgres was killed ${kills} times under load: ${expected.length} commits answered, none lost, none twice`
              )
            }),
            stores
          )
        )
      } finally {
        await server.stop()
      }
    }
  )
})
