import { Deferred, Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"

const run = <A, E>(program: Effect.Effect<A, E>) => Effect.runPromise(program)

/** Computes without a pause of its own, until `stop` says so, and answers whether it was stopped within its steps. */
const busy = (stop: () => boolean) =>
  Effect.gen(function* () {
    for (let steps = 0; steps < 5_000_000; steps++) {
      if (stop()) return true
      yield* Effect.sync(() => {})
    }
    return false
  })

describe("The scheduler", () => {
  it("lets another fiber go on while one is busy", () =>
    run(
      Effect.gen(function* () {
        let stopped = false
        const one = yield* Effect.forkChild(busy(() => stopped))
        yield* Effect.forkChild(Effect.sync(() => void (stopped = true)))
        expect(yield* Fiber.join(one)).toBe(true)
      })
    ))

  it("lets timers and sockets have their turn while a fiber is busy", () =>
    run(
      Effect.gen(function* () {
        const seen = new Set<string>()
        setTimeout(() => seen.add("timer"), 0)
        setImmediate(() => seen.add("immediate"))
        expect(yield* busy(() => seen.size === 2)).toBe(true)
      })
    ))

  it("lets several busy fibers take turns: none is done before the others have begun", () =>
    run(
      Effect.gen(function* () {
        const begun = new Set<number>()
        const all = Array.from({ length: 5 }, (_, n) =>
          Effect.suspend(() => {
            begun.add(n)
            return busy(() => begun.size === 5)
          })
        )
        expect(yield* Effect.all(all, { concurrency: "unbounded" })).toEqual([true, true, true, true, true])
      })
    ))

  it("takes a generator that yields only what is there already for one step: who computes long in one must give way", () =>
    run(
      Effect.gen(function* () {
        let others = 0
        yield* Effect.forkChild(Effect.sync(() => others++))
        for (let n = 0; n < 10_000; n++) yield* Effect.succeed(n)
        expect(others).toBe(0)
        for (let n = 0; n < 10_000; n++) if (n % 1000 === 999) yield* Effect.yieldNow
        expect(others).toBe(1)
      })
    ))

  it("starts a child at the next turn, and at once where that is asked for", () =>
    run(
      Effect.gen(function* () {
        const steps: Array<string> = []
        const step = (name: string) => Effect.sync(() => void steps.push(name))
        yield* Effect.forkChild(step("child"))
        yield* Effect.forkChild(step("child at once"), { startImmediately: true })
        yield* step("parent")
        yield* Effect.yieldNow
        expect(steps).toEqual(["child at once", "parent", "child"])
      })
    ))

  it("gives fibers that yield their turns in the order in which they came", () =>
    run(
      Effect.gen(function* () {
        const steps: Array<string> = []
        const stepping = (name: string) =>
          Effect.forEach([1, 2], (n) =>
            Effect.andThen(
              Effect.sync(() => void steps.push(`${name}${n}`)),
              Effect.yieldNow
            )
          )
        yield* Effect.all(["a", "b", "c"].map(stepping), { concurrency: "unbounded" })
        expect(steps).toEqual(["a1", "b1", "c1", "a2", "b2", "c2"])
      })
    ))

  it("lets a fiber that waits for a busy one be interrupted meanwhile", () =>
    run(
      Effect.gen(function* () {
        let stopped = false
        const one = yield* Effect.forkChild(busy(() => stopped))
        const never = yield* Deferred.make<void>()
        const waiting = yield* Effect.forkChild(Effect.all([Fiber.join(one), Deferred.await(never)]))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(waiting)
        stopped = true
        expect(yield* Fiber.join(one)).toBe(true)
      })
    ))
})
