import { RouterLimits } from "@pawl/router/RouterLimits"
import { PointerSource, PointerSourceUnavailable } from "@pawl/core/app/PointerSource"
import { PointerSignal } from "@pawl/core/app/PointerSignal"
import * as SetClock from "@pawl/testing/tools/SetClock"
import { Clock, Deferred, Effect, Exit, Fiber, Layer, Scheduler } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import * as PointerCache from "../src/PointerCache.ts"
import { Controls, pointer } from "./World.ts"

const run = <A, E>(
  body: (controls: Controls, clock: SetClock.SetClock) => Effect.Effect<A, E, PointerCache.PointerCache>
) => {
  const controls = new Controls()
  controls.rows = [pointer(null)]
  const source = Layer.succeed(PointerSource, { find: (label, channel) => controls.find(label, channel) })
  const layers = PointerCache.layerSignal.pipe(Layer.provideMerge(PointerCache.layer), Layer.provide(source))
  return Effect.runPromise(
    Effect.gen(function* () {
      const clock = yield* SetClock.make
      return yield* body(controls, clock).pipe(Effect.provide(layers), Effect.provideService(Clock.Clock, clock.clock))
    }).pipe(Effect.provide(TestClock.layer()))
  )
}
const find = (label = "shop") => Effect.flatMap(PointerCache.PointerCache, (cache) => cache.find(label, "production"))

describe("PointerCache", () => {
  it("asks the source once in ten seconds of the program's clock, also for what is not there", () =>
    run((controls) =>
      Effect.gen(function* () {
        yield* find()
        yield* find("nobody")
        yield* TestClock.adjust(RouterLimits.pointerCacheMs - 1)
        yield* find()
        expect(yield* find("nobody")).toBe(null)
        expect(controls.lookups).toBe(2)
        yield* TestClock.adjust(1)
        yield* find()
        expect(controls.lookups).toBe(3)
      })
    ))

  it("remembers no longer because the clock was set back", () =>
    run((controls, { set }) =>
      Effect.gen(function* () {
        yield* find()
        yield* set(-3_600_000)
        yield* TestClock.adjust(RouterLimits.pointerCacheMs)
        yield* find()
        expect(controls.lookups).toBe(2)
      })
    ))

  it("asks once for many who miss at the same time, and outlives the one who asked first", () =>
    run((controls) =>
      Effect.gen(function* () {
        const gate = yield* Deferred.make<void>()
        controls.beforeLookup = Deferred.await(gate)
        const first = yield* Effect.forkChild(find())
        yield* Effect.yieldNow
        const others = yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.forkChild(find()))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(first)
        yield* Deferred.succeed(gate, undefined)
        const rows = yield* Effect.forEach(others, Fiber.join)
        expect(rows).toEqual(Array.from({ length: 50 }, () => controls.rows[0]))
        expect(controls.lookups).toBe(1)
      })
    ))

  it("keeps nobody waiting for a visitor who left, whatever step of asking that was", () =>
    run((controls) =>
      Effect.gen(function* () {
        for (let steps = 0; steps < 100; steps++) {
          const label = `shop-${steps}`
          // Few steps at a time, so that the visitor can leave between any two.
          const visitor = yield* Effect.forkChild(
            find(label).pipe(Effect.provideService(Scheduler.MaxOpsBeforeYield, 3))
          )
          for (let step = 0; step < steps; step++) yield* Effect.yieldNow
          yield* Fiber.interrupt(visitor)
          expect(yield* find(label)).toBe(null)
        }
        expect(controls.lookups).toBeGreaterThanOrEqual(100)
      })
    ))

  it("shows the new row to the next request after an invalidation, even with the old lookup still on its way", () =>
    run((controls) =>
      Effect.gen(function* () {
        const cache = yield* PointerCache.PointerCache
        const gate = yield* Deferred.make<void>()
        controls.beforeLookup = Deferred.await(gate)
        const early = yield* Effect.forkChild(find())
        while (controls.lookups === 0) yield* Effect.yieldNow
        controls.beforeLookup = Effect.void
        controls.rows = [pointer(null, { status: "removed" })]
        yield* cache.invalidate("shop")
        expect(yield* find()).toMatchObject({ status: "removed" })
        yield* Deferred.succeed(gate, undefined)
        expect(yield* Fiber.join(early)).toMatchObject({ status: "live" })
        expect(yield* find()).toMatchObject({ status: "removed" })
      })
    ))

  it("forgets every channel of the label that moved, and of no other", () =>
    run((controls) =>
      Effect.gen(function* () {
        const cache = yield* PointerCache.PointerCache
        const signal = yield* PointerSignal
        const channels = [
          ["shop", "production"],
          ["shop", "preview:0a1b2c3d"],
          ["shop-2", "production"]
        ] as const
        const all = Effect.forEach(channels, ([label, channel]) => cache.find(label, channel))
        yield* all
        yield* signal.moved("shop")
        yield* all
        expect(controls.lookups).toBe(5)
        yield* cache.invalidateAll
        yield* all
        expect(controls.lookups).toBe(8)
      })
    ))

  it("passes the cache by for a fresh read, and leaves it as it was", () =>
    run((controls) =>
      Effect.gen(function* () {
        const cache = yield* PointerCache.PointerCache
        yield* find()
        controls.rows = []
        expect(yield* cache.findFresh("shop", "production")).toBe(null)
        expect(yield* find()).not.toBe(null)
      })
    ))

  it("keeps no failure, and gives up on a source that does not answer", () =>
    run((controls) =>
      Effect.gen(function* () {
        controls.beforeLookup = new PointerSourceUnavailable({ reason: "down" })
        expect(yield* Effect.exit(find())).toEqual(Exit.fail(new PointerSourceUnavailable({ reason: "down" })))
        controls.beforeLookup = Effect.never
        const waiting = yield* Effect.forkChild(Effect.flip(find()))
        yield* Effect.yieldNow
        yield* TestClock.adjust(RouterLimits.pointerLookupMs)
        expect((yield* Fiber.join(waiting))._tag).toBe("PointerSourceUnavailable")
        controls.beforeLookup = Effect.void
        expect(yield* find()).not.toBe(null)
      })
    ))

  it("stays within its size whatever labels are asked for, and keeps what is asked for often", () =>
    run((controls) =>
      Effect.gen(function* () {
        for (let i = 0; i < RouterLimits.pointerCacheEntries * 2; i++) {
          yield* find(`junk-${i}`)
          if (i % 1000 === 0) yield* find()
        }
        expect(controls.lookups).toBe(RouterLimits.pointerCacheEntries * 2 + 1)
        yield* find("junk-0")
        expect(controls.lookups).toBe(RouterLimits.pointerCacheEntries * 2 + 2)
      })
    ))
})
