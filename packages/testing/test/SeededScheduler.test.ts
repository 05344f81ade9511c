import { interleave, NotFinished } from "@pawl/testing/tools/SeededScheduler"
import { Deferred, Effect, Exit, Fiber, Latch, Queue, Ref, Scheduler, Semaphore } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"

type Note = (step: string) => Effect.Effect<void>

/** The orders of steps that seeds from 1 on reach, each once, sorted. Every program must end well. */
const orders = (
  programs: (note: Note) => ReadonlyArray<Effect.Effect<unknown, unknown>>,
  seeds = 2000
): ReadonlyArray<string> => {
  const seen = new Set<string>()
  for (let seed = 1; seed <= seeds; seed++) {
    const steps: Array<string> = []
    const { exits } = interleave(
      seed,
      programs((step) => Effect.sync(() => void steps.push(step)))
    )
    for (const exit of exits) if (Exit.isFailure(exit)) throw new Error(`seed ${seed}: ${String(exit.cause)}`)
    seen.add(steps.join(" "))
  }
  return [...seen].toSorted()
}

/** All orders of "a1 a2" and "b1 b2". */
const allOrders = ["a1 a2 b1 b2", "a1 b1 a2 b2", "a1 b1 b2 a2", "b1 a1 a2 b2", "b1 a1 b2 a2", "b1 b2 a1 a2"]

const twice = (note: Note, name: string) => Effect.andThen(note(`${name}1`), note(`${name}2`))

describe("A seeded scheduler", () => {
  it("reaches every order of two programs that never wait", () => {
    expect(orders((note) => [twice(note, "a"), twice(note, "b")])).toEqual(allOrders)
  })

  it.each([
    ["at the next turn", {}],
    ["at once", { startImmediately: true }]
  ])("reaches every order of a fiber and its child that starts %s", (_when, options) => {
    const program = (note: Note) =>
      Effect.gen(function* () {
        const child = yield* Effect.forkChild(twice(note, "b"), options)
        yield* twice(note, "a")
        yield* Fiber.join(child)
      })
    expect(orders((note) => [program(note)])).toEqual(allOrders)
  })

  it.each<
    readonly [string, Effect.Effect<{ readonly wake: Effect.Effect<unknown>; readonly wait: Effect.Effect<unknown> }>]
  >([
    [
      "a deferred",
      Effect.map(Deferred.make<void>(), (deferred) => ({
        wake: Deferred.succeed(deferred, undefined),
        wait: Deferred.await(deferred)
      }))
    ],
    ["a latch", Effect.map(Latch.make(), (latch) => ({ wake: latch.open, wait: latch.await }))],
    [
      "a queue",
      Effect.map(Queue.unbounded<number>(), (queue) => ({ wake: Queue.offer(queue, 1), wait: Queue.take(queue) }))
    ],
    [
      "a semaphore",
      Effect.gen(function* () {
        const semaphore = yield* Semaphore.make(1)
        yield* semaphore.take(1)
        return { wake: semaphore.release(1), wait: semaphore.take(1) }
      })
    ],
    [
      "a fiber that ends",
      Effect.gen(function* () {
        const end = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkDetach(Deferred.await(end))
        return { wake: Deferred.succeed(end, undefined), wait: Fiber.await(fiber) }
      })
    ]
  ])("reaches every order of a fiber and the one that it wakes by %s", (_name, make) => {
    const program = (note: Note) =>
      Effect.gen(function* () {
        const { wait, wake } = yield* make
        const waiting = yield* Effect.forkChild(Effect.andThen(wait, twice(note, "b")), { startImmediately: true })
        yield* wake
        yield* twice(note, "a")
        yield* Fiber.join(waiting)
      })
    expect(orders((note) => [program(note)])).toEqual(allOrders)
  })

  it("reaches every order in which waiters get the permit of a semaphore", () => {
    const program = (note: Note) =>
      Effect.gen(function* () {
        const semaphore = yield* Semaphore.make(1)
        yield* Effect.forEach(["a", "b", "c"], (name) => semaphore.withPermits(1)(note(name)), {
          concurrency: "unbounded"
        })
      })
    expect(orders((note) => [program(note)])).toEqual(["a b c", "a c b", "b a c", "b c a", "c a b", "c b a"])
  })

  it("reaches both orders of sleepers of one moment; each goes on until it waits before a test clock wakes the next", () => {
    const program = (note: Note) =>
      Effect.gen(function* () {
        const sleepers = yield* Effect.forEach(["a", "b"], (name) =>
          Effect.forkChild(Effect.andThen(Effect.sleep(1000), twice(note, name)))
        )
        // The clock is moved when both sleep.
        yield* Effect.repeat(Effect.yieldNow, { times: 400 })
        yield* TestClock.adjust(1000)
        yield* Fiber.joinAll(sleepers)
      }).pipe(Effect.provide(TestClock.layer()))
    expect(orders((note) => [program(note)], 100)).toEqual(["a1 a2 b1 b2", "b1 b2 a1 a2"])
  })

  it("stays in charge under the scheduler that a test clock brings", () => {
    const program = Effect.gen(function* () {
      const scheduler = yield* Scheduler.Scheduler
      const steps: Array<number> = []
      const dispatcher = scheduler.makeDispatcher()
      for (let n = 0; n < 5; n++) dispatcher.scheduleTask(() => steps.push(n), n)
      dispatcher.flush()
      return steps.join(" ")
    }).pipe(Effect.provide(TestClock.layer()))
    const seen = new Set(
      Array.from({ length: 50 }, (_, seed) => {
        const [exit] = interleave(seed, [program]).exits
        return exit !== undefined && Exit.isSuccess(exit) ? exit.value : "failed"
      })
    )
    expect(seen).not.toContain("failed")
    expect(seen.size).toBeGreaterThan(20)
  })

  const counted = (around: (increment: Effect.Effect<void>) => Effect.Effect<void>) => (seed: number) => {
    const count = Ref.makeUnsafe(0)
    const increment = Effect.flatMap(Ref.get(count), (seen) => Ref.set(count, seen + 1))
    const { trail } = interleave(seed, [around(increment), around(increment)])
    return { count: Ref.getUnsafe(count), trail }
  }
  const seeds = Array.from({ length: 200 }, (_, seed) => seed)

  it("finds an update that is lost between a read and a write, and none where a semaphore guards them", () => {
    const open = seeds.map((seed) => counted((increment) => increment)(seed).count)
    expect(new Set(open)).toEqual(new Set([1, 2]))
    const guarded = seeds.map((seed) => {
      const semaphore = Semaphore.makeUnsafe(1)
      return counted((increment) => semaphore.withPermits(1)(increment))(seed).count
    })
    expect(new Set(guarded)).toEqual(new Set([2]))
  })

  it("plays the same order again by its number", () => {
    const play = counted((increment) => increment)
    for (const seed of seeds) expect(play(seed)).toEqual(play(seed))
    expect(new Set(seeds.map((seed) => play(seed).trail)).size).toBeGreaterThan(100)
  })

  it("says which program waits for something that it does not decide", () => {
    const outside = Effect.promise(() => Promise.resolve())
    expect(() => interleave(1, [Effect.void, outside])).toThrow(NotFinished)
    expect(() => interleave(1, [Effect.void, outside])).toThrow("program 1 of seed 1")
  })
})
