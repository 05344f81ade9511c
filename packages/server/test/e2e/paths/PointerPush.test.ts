import { setTimeout as pause } from "node:timers/promises"
import * as PgClient from "@pawl/adapters-pg/PgClient"
import * as NatsNotices from "@pawl/adapters-nats/NatsNotices"
import type { Join } from "@pawl/core/ledger/Notices"
import * as MemoryAppRuntime from "@pawl/adapters-memory/MemoryAppRuntime"
import { PointerSignal } from "@pawl/core/app/PointerSignal"
import { PointerSource } from "@pawl/core/app/PointerSource"
import * as MemoryObjectStore from "@pawl/adapters-memory/MemoryObjectStore"
import * as Assets from "@pawl/router/Assets"
import * as PointerCache from "@pawl/router/PointerCache"
import * as Router from "@pawl/router/Router"
import { pointerSignalContract } from "@pawl/testing/contracts/apps/PointerSignalContract"
import { Context, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, describe, expect, it } from "vitest"
import * as NatsServer from "../../../../adapters-nats/test/NatsServer.ts"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import * as PointerPush from "../../../src/node/PointerPush.ts"

const reason = await PostgresServer.whyNot()
if (reason !== null) console.warn(`SKIPPED: ${reason}`)

const noNats = NatsServer.whyNot()
if (noNats !== null) console.warn(`SKIPPED: ${noNats}`)

/** A router's memory over a source that says `removed` when it is told to. */
const router = (url: string, isRemoved: (label: string) => boolean, notices?: Join) =>
  Layer.build(
    PointerPush.layer.pipe(
      Layer.provide(Router.layer({ apiOrigin: "http://localhost" })),
      Layer.provide(Assets.layer.pipe(Layer.provide(MemoryObjectStore.layerMemory))),
      Layer.provide(MemoryAppRuntime.layerMemory(new Map())),
      Layer.provideMerge(PointerCache.layer),
      Layer.provide(
        Layer.succeed(PointerSource, { find: (label) => Effect.sync(() => (isRemoved(label) ? "removed" : null)) })
      ),
      Layer.provide(PgClient.layer({ url: Redacted.make(url), ...(notices === undefined ? {} : { notices }) }))
    )
  )

describe.skipIf(reason !== null)("PointerPush", () => {
  it("lets the router of another process forget a pointer that moved, before its memory of it ends", async () => {
    const postgres = await PostgresServer.start()
    try {
      await Effect.runPromise(
        Effect.gen(function* () {
          let removed = false
          const [here, there] = [yield* router(postgres.url, () => removed), yield* router(postgres.url, () => removed)]
          const find = Effect.provide(
            Effect.flatMap(PointerCache.PointerCache, (cache) => cache.find("shop", "production")),
            there
          )
          expect(yield* find).toBe(null)
          removed = true
          // The clock stands still: what is remembered stays.
          expect(yield* find).toBe(null)
          yield* Effect.provide(
            Effect.flatMap(PointerSignal, (signal) => signal.moved("shop")),
            here
          )
          while ((yield* find) !== "removed") yield* Effect.promise(() => pause(5))
        }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
      )
    } finally {
      await postgres.stop()
    }
  })
})

/** The cache of the other process, which hears. */
class Listener extends Context.Service<Listener, PointerCache.PointerCache["Service"]>()("test/Listener") {}

const contractOver = (name: string, url: string, notices?: Join): void => {
  // How often the other process asked its source for a label, and how often it had when the label moved last.
  const [asked, before] = [new Map<string, number>(), new Map<string, number>()]
  const timesAsked = (label: string) => asked.get(label) ?? 0
  const asking = (label: string) => asked.set(label, timesAsked(label) + 1) === undefined
  pointerSignalContract(`${name}, to the router of another process`, {
    layer: Layer.effectContext(
      Effect.gen(function* () {
        const there = yield* router(url, asking, notices)
        const here = yield* router(url, () => false, notices)
        return Context.add(here, Listener, Context.get(there, PointerCache.PointerCache))
      })
    ).pipe(Layer.provideMerge(TestClock.layer())),
    heard: (label) =>
      Effect.gen(function* () {
        const cache = yield* Listener
        // It asks again only when it has forgotten, for the clock stands still.
        while (timesAsked(label) === (before.get(label) ?? 0)) {
          yield* cache.find(label, "production")
          yield* Effect.promise(() => pause(5))
        }
        before.set(label, timesAsked(label))
      })
  })
}

if (reason === null) {
  const postgres = await PostgresServer.start()
  afterAll(() => postgres.stop())
  contractOver("Postgres", postgres.url)
  if (noNats === null) {
    const nats = await NatsServer.start()
    afterAll(() => nats.stop())
    const servers = { servers: [nats.at], tls: false, login: null, credentials: null }
    contractOver("NATS", postgres.url, NatsNotices.join(servers))
  }
}
