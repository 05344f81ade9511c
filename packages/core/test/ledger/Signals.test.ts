import * as Signals from "@pawl/core/ledger/Signals"
import { Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"

describe("Signals", () => {
  it("wake everybody who waits, and run nobody inside the call that rings", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const signals = Signals.make()
        const { wait } = signals.arm("a")
        const woken: Array<string> = []
        const waiting = yield* Effect.forEach(["one", "other"], (name) =>
          Effect.forkChild(
            Effect.andThen(
              wait,
              Effect.sync(() => void woken.push(name))
            ),
            { startImmediately: true }
          )
        )
        signals.notify("a")
        expect(woken).toEqual([])
        yield* Fiber.joinAll(waiting)
        expect(woken).toEqual(["one", "other"])
        // It has rung: who comes later does not wait.
        yield* wait
      })
    ))

  it("leave alone who is interrupted between the ring and its turn", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const signals = Signals.make()
        const woken: Array<string> = []
        const waiting = yield* Effect.forkChild(
          Effect.andThen(
            signals.arm("a").wait,
            Effect.sync(() => void woken.push("one"))
          ),
          { startImmediately: true }
        )
        signals.notify("a")
        yield* Fiber.interrupt(waiting)
        expect(woken).toEqual([])
      })
    ))
})
