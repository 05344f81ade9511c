import * as Loops from "@pawl/core/upkeep/Loops"
import { Cause, Deferred, Effect, Exit, Fiber, FiberSet, Layer, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"

const boom = new Error("boom")
const dying = Effect.die(boom)

/** Every line that a program logs, at any level. */
const linesOf = async <A, E>(program: Effect.Effect<A, E>) => {
  const lines: Array<string> = []
  const logger = Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])
  await Effect.runPromise(Effect.provide(Effect.provideService(program, References.MinimumLogLevel, "All"), logger))
  return lines
}

const defectOf = (exit: Exit.Exit<unknown, unknown>) => (Exit.isFailure(exit) ? Cause.squash(exit.cause) : null)

describe("A defect", () => {
  it.each([
    [
      "thrown in an Effect",
      Effect.sync(() => {
        throw boom
      })
    ],
    [
      "thrown by a generator",
      Effect.gen(function* () {
        yield* Effect.void
        throw boom
      })
    ],
    ["rejected by a promise that must not", Effect.promise(() => Promise.reject(boom))],
    [
      "thrown as a callback registers",
      Effect.callback<void>(() => {
        throw boom
      })
    ],
    [
      "thrown in a map",
      Effect.map(Effect.void, () => {
        throw boom
      })
    ]
  ])("%s fails its fiber with it, as a defect", async (_where, effect) => {
    const exit = await Effect.runPromiseExit(effect)
    expect(defectOf(exit)).toBe(boom)
    expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
  })

  it("of a child is seen by who joins it, and by a set of fibers that is joined", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const child = yield* Effect.forkChild(dying)
        expect(defectOf(yield* Effect.exit(Fiber.join(child)))).toBe(boom)
        const set = yield* FiberSet.make<void>()
        yield* FiberSet.run(set, dying)
        expect(defectOf(yield* Effect.exit(FiberSet.join(set)))).toBe(boom)
      }).pipe(Effect.scoped)
    ))

  it("of one of several at once ends the others, and is the answer", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const left: Array<string> = []
        const other = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void left.push("other")))
        const exit = yield* Effect.exit(Effect.all([other, Effect.andThen(Effect.yieldNow, dying)], { concurrency: 2 }))
        expect(defectOf(exit)).toBe(boom)
        expect(left).toEqual(["other"])
      })
    ))

  it("of a layer that is built fails whoever needs it", async () => {
    const exit = await Effect.runPromiseExit(Effect.provide(Effect.void, Layer.effectDiscard(dying)))
    expect(defectOf(exit)).toBe(boom)
  })

  it("of a loop in the background is logged with its name and its words, and the loop begins again", async () => {
    const lines = await linesOf(
      Effect.gen(function* () {
        const loops = yield* Loops.make
        const again = yield* Deferred.make<void>()
        let begun = 0
        const loop = Effect.suspend(() =>
          ++begun === 1 ? dying : Effect.andThen(Deferred.succeed(again, undefined), Effect.never)
        )
        const fiber = yield* Effect.forkChild(loops.supervise("sweeps", loop), { startImmediately: true })
        expect(yield* loops.down).toEqual(["sweeps"])
        yield* TestClock.adjust("1 hour")
        yield* Deferred.await(again)
        expect(yield* loops.down).toEqual([])
        yield* Fiber.interrupt(fiber)
      }).pipe(Effect.provide(TestClock.layer()))
    )
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain("the loop sweeps ended")
    expect(lines[0]).toContain("boom")
  })

  it("of a fork that nobody awaits is told by nobody: work in the background needs a supervisor", async () => {
    const lines = await linesOf(Effect.andThen(Effect.forkDetach(dying, { startImmediately: true }), Effect.yieldNow))
    expect(lines).toEqual([])
  })
})
