import { Cause, Effect, Exit, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"

/** Under a clock that stands still until it is adjusted. */
const run = <A, E>(program: Effect.Effect<A, E>) => Effect.runPromise(Effect.provide(program, TestClock.layer()))

const late = Effect.timeoutOrElse({ duration: 1000, orElse: () => Effect.fail("late" as const) })

describe("A time-out", () => {
  it("comes at its moment and not before", () =>
    run(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(Effect.flip(late(Effect.never)))
        yield* TestClock.adjust(999)
        expect(fiber.pollUnsafe()).toBe(undefined)
        yield* TestClock.adjust(1)
        expect(yield* Fiber.join(fiber)).toBe("late")
      })
    ))

  it("interrupts the work, and waits until it has given back what it held", () =>
    run(
      Effect.gen(function* () {
        const steps: Array<string> = []
        const step = (name: string) => Effect.sync(() => void steps.push(name))
        const work = Effect.acquireUseRelease(
          step("taken"),
          () => Effect.never,
          () => Effect.andThen(Effect.sleep(500), step("given back"))
        )
        const fiber = yield* Effect.forkChild(Effect.tap(Effect.exit(late(work)), step("late")))
        yield* TestClock.adjust(1499)
        expect(steps).toEqual(["taken"])
        yield* TestClock.adjust(1)
        expect(yield* Fiber.join(fiber)).toEqual(Exit.fail("late"))
        expect(steps).toEqual(["taken", "given back", "late"])
      })
    ))

  it("lets through what came in time: a value, a failure, a defect", () =>
    run(
      Effect.gen(function* () {
        expect(yield* late(Effect.as(Effect.yieldNow, 1))).toBe(1)
        expect(yield* Effect.flip(late(Effect.fail("refused")))).toBe("refused")
        const exit = yield* Effect.exit(late(Effect.die("broken")))
        expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toBe("broken")
      })
    ))

  it("answers nothing where nothing is asked for, and the work is over", () =>
    run(
      Effect.gen(function* () {
        let interrupted = false
        const work = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (interrupted = true)))
        const fiber = yield* Effect.forkChild(Effect.timeoutOption(work, 1000))
        yield* TestClock.adjust(1000)
        expect(yield* Fiber.join(fiber)).toEqual(Option.none())
        expect(interrupted).toBe(true)
      })
    ))

  it("ends with who asked for it: an interruption reaches the work, and the time no longer counts", () =>
    run(
      Effect.gen(function* () {
        const steps: Array<string> = []
        const work = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void steps.push("interrupted")))
        const fiber = yield* Effect.forkChild(
          Effect.timeoutOrElse(work, { duration: 1000, orElse: () => Effect.sync(() => void steps.push("late")) }),
          { startImmediately: true }
        )
        yield* Fiber.interrupt(fiber)
        yield* TestClock.adjust(2000)
        expect(steps).toEqual(["interrupted"])
      })
    ))

  it("cannot end what is uninterruptible: it waits for it, and then says that it is late", () =>
    run(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(Effect.flip(late(Effect.uninterruptible(Effect.sleep(5000)))))
        yield* TestClock.adjust(4999)
        expect(fiber.pollUnsafe()).toBe(undefined)
        yield* TestClock.adjust(1)
        expect(yield* Fiber.join(fiber)).toBe("late")
      })
    ))
})
