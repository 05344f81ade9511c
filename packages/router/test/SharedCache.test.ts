import { Deferred, Effect, Fiber, Scope } from "effect"
import { describe, expect, it } from "vitest"
import * as SharedCache from "../src/SharedCache.ts"

/** A cache where each loads for itself, and loads that end when they are told to. */
const alone = () => {
  const cache = SharedCache.make<string, never>({
    scope: Scope.makeUnsafe(),
    maxWeight: 10,
    weigh: () => 1,
    sharesLoads: false
  })
  let loads = 0
  const load = (gate: Deferred.Deferred<string>) =>
    Effect.suspend(() => {
      loads += 1
      return Deferred.await(gate)
    })
  return { cache, load, loads: () => loads }
}

describe("A cache whose readers load for themselves", () => {
  it("lets nobody wait for another's load, and keeps what was loaded for the next", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { cache, load, loads } = alone()
        const [slow, fast] = [Deferred.makeUnsafe<string>(), Deferred.makeUnsafe<string>()]
        const first = yield* Effect.forkChild(cache.get("key", load(slow)), { startImmediately: true })
        const second = yield* Effect.forkChild(cache.get("key", load(fast)), { startImmediately: true })
        yield* Deferred.succeed(fast, "loaded")
        expect([yield* Fiber.join(second), loads()]).toEqual(["loaded", 2])
        // The first has left, and takes nothing along.
        yield* Fiber.interrupt(first)
        expect([yield* cache.get("key", load(slow)), loads()]).toEqual(["loaded", 2])
      })
    ))

  it("keeps nothing of a load that began before its key was invalidated", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { cache, load } = alone()
        const gate = Deferred.makeUnsafe<string>()
        const reading = yield* Effect.forkChild(cache.get("key", load(gate)), { startImmediately: true })
        cache.invalidate((key) => key === "key")
        yield* Deferred.succeed(gate, "old")
        expect(yield* Fiber.join(reading)).toBe("old")
        expect([cache.peek("key"), cache.size()]).toEqual([undefined, 0])
      })
    ))
})
