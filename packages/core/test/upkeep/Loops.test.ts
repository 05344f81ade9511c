import { Effect, Fiber, References } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Loops from "@pawl/core/upkeep/Loops"

const play = <A, E>(program: Effect.Effect<A, E>) =>
  Effect.runPromise(
    Effect.provide(Effect.provideService(program, References.MinimumLogLevel, "None"), TestClock.layer())
  )

describe("Background loops", () => {
  it.each([
    ["a defect", Effect.die("broken")],
    ["a failure", Effect.fail("broken")],
    ["an interruption of its own", Effect.interrupt],
    ["an end that it should not have", Effect.void]
  ])("go on when one of them meets %s: it is told, and begun again", (_name, end) =>
    play(
      Effect.gen(function* () {
        const loops = yield* Loops.make
        let [begun, ticks] = [0, 0]
        const bad = Effect.suspend(() => (++begun <= 3 ? end : Effect.never))
        const good = Effect.forever(
          Effect.andThen(
            Effect.sleep(1000),
            Effect.sync(() => void ticks++)
          )
        )
        const fiber = yield* Effect.forkChild(
          Effect.all([loops.supervise("bad", bad), loops.supervise("good", good)], { concurrency: "unbounded" })
        )
        yield* TestClock.adjust(1)
        expect([begun, yield* loops.down]).toEqual([1, ["bad"]])
        yield* TestClock.adjust(999)
        expect([begun, yield* loops.down]).toEqual([2, ["bad"]])
        yield* TestClock.adjust(2000)
        yield* TestClock.adjust(4000)
        expect([begun, yield* loops.down]).toEqual([4, []])
        expect(ticks).toBe(7)
        yield* Fiber.interrupt(fiber)
      })
    )
  )

  it("are begun again quickly when they went well for long", () =>
    play(
      Effect.gen(function* () {
        const loops = yield* Loops.make
        let begun = 0
        const loop = Effect.suspend(() =>
          ++begun <= 5
            ? Effect.die("broken")
            : Effect.andThen(Effect.sleep(Limits.commandBackoffMaxMs + 1), Effect.die("late"))
        )
        const fiber = yield* Effect.forkChild(loops.supervise("loop", loop))
        yield* TestClock.adjust("31 seconds")
        expect([begun, yield* loops.down]).toEqual([6, []])
        yield* TestClock.adjust(Limits.commandBackoffMaxMs + 1)
        expect(yield* loops.down).toEqual(["loop"])
        yield* TestClock.adjust(1000)
        expect([begun, yield* loops.down]).toEqual([7, []])
        yield* Fiber.interrupt(fiber)
      })
    ))
})
