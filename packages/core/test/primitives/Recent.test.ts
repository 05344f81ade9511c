import { recent } from "@pawl/core/primitives/Recent"
import * as SetClock from "@pawl/testing/tools/SetClock"
import { Clock, Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"

const run = <A, E>(body: (clock: SetClock.SetClock) => Effect.Effect<A, E>) =>
  Effect.runPromise(
    Effect.flatMap(SetClock.make, (clock) => Effect.provideService(body(clock), Clock.Clock, clock.clock)).pipe(
      Effect.provide(TestClock.layer())
    )
  )

/** Answers how often it was asked. */
const counting = () => {
  let looks = 0
  return Effect.sync(() => ++looks)
}

describe("What is recent", () => {
  it.each([0, -3_600_000, 3_600_000])("is looked for once in its time, also where the clock is set by %i ms", (byMs) =>
    run(({ set }) =>
      Effect.gen(function* () {
        const look = yield* recent(counting(), 1000)
        expect(yield* look).toBe(1)
        yield* set(byMs)
        yield* TestClock.adjust(999)
        expect(yield* look).toBe(1)
        yield* TestClock.adjust(1)
        expect(yield* look).toBe(2)
      })
    )
  )

  it("is looked for once for many who ask at a time, also when the first of them leaves", () =>
    run(() =>
      Effect.gen(function* () {
        const gate = yield* Deferred.make<void>()
        const look = yield* recent(Effect.andThen(Deferred.await(gate), counting()), 1000)
        const first = yield* Effect.forkChild(look)
        yield* Effect.yieldNow
        const others = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(look))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(first)
        yield* Deferred.succeed(gate, undefined)
        expect(yield* Effect.forEach(others, Fiber.join)).toEqual([1, 1, 1])
      })
    ))

  it("remembers no failure", () =>
    run(() =>
      Effect.gen(function* () {
        const tries = counting()
        const look = yield* recent(
          Effect.flatMap(tries, (n) => (n === 1 ? Effect.fail("away") : Effect.succeed(n))),
          1000
        )
        expect(yield* Effect.exit(look)).toEqual(Exit.fail("away"))
        expect(yield* look).toBe(2)
      })
    ))
})
