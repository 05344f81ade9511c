import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { describe, expect, it } from "vitest"
import * as FairSlots from "@pawl/core/primitives/FairSlots"
import { interleave } from "@pawl/testing/tools/SeededScheduler"

/** Holds a slot until it is told to give it back; `entered` names who got one, in order. */
const callers = (slots: FairSlots.FairSlots) => {
  const entered: Array<string> = []
  const hold = (key: string, name = key) =>
    Effect.gen(function* () {
      const end = yield* Deferred.make<void>()
      const work = Effect.andThen(
        Effect.sync(() => entered.push(name)),
        Deferred.await(end)
      )
      const fiber = yield* Effect.forkChild(slots.withSlot(key)(work))
      yield* settled
      return {
        leave: Effect.andThen(Deferred.succeed(end, undefined), Effect.andThen(Fiber.await(fiber), settled)),
        fiber
      }
    })
  return { entered, hold }
}
const settled = Effect.yieldNow.pipe(Effect.repeat({ times: 20 }))

describe("FairSlots", () => {
  it("gives all slots to a key that is alone, and the next that comes free to one that waits", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const slots = FairSlots.make(3)
        const { entered, hold } = callers(slots)
        const [first] = [yield* hold("a"), yield* hold("a"), yield* hold("a")]
        expect(slots.held("a")).toBe(3)
        yield* hold("a", "a's fourth")
        yield* hold("b")
        expect([slots.waiting("a"), slots.waiting("b"), slots.waiting()]).toEqual([1, 1, 2])
        yield* first.leave
        expect(entered).toEqual(["a", "a", "a", "b"])
      })
    ))

  it("serves keys that hold equally many in turn, and each key's callers in the order in which they came", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const slots = FairSlots.make(1)
        const { entered, hold } = callers(slots)
        const held = [yield* hold("x")]
        for (const name of ["a1", "a2", "a3", "b1", "b2", "c1"]) held.push(yield* hold(name.slice(0, 1), name))
        for (const name of ["x", "a1", "b1", "c1", "a2", "b2", "a3"]) {
          expect(entered.at(-1)).toBe(name)
          yield* held[["x", "a1", "a2", "a3", "b1", "b2", "c1"].indexOf(name)]!.leave
        }
        expect([slots.held(), slots.waiting()]).toEqual([0, 0])
      })
    ))

  it("does not let a key that comes and goes overtake one that has waited", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const slots = FairSlots.make(1)
        const { entered, hold } = callers(slots)
        const first = yield* hold("busy", "busy 1")
        yield* hold("patient")
        yield* hold("busy", "busy 2")
        yield* first.leave
        expect(entered).toEqual(["busy 1", "patient"])
      })
    ))

  it("forgets who is interrupted while waiting, and gets the slot back from who is interrupted inside", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const slots = FairSlots.make(1)
        const { entered, hold } = callers(slots)
        const inside = yield* hold("a")
        const waiting = yield* hold("b")
        yield* hold("c")
        yield* Fiber.interrupt(waiting.fiber)
        yield* Fiber.interrupt(inside.fiber)
        yield* settled
        expect(entered).toEqual(["a", "c"])
        expect([slots.held(), slots.waiting()]).toEqual([1, 0])
      })
    ))

  it("loses no slot when one is granted at the moment of an interruption", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const slots = FairSlots.make(1)
        for (let turn = 0; turn < 50; turn++) {
          const scope = yield* Scope.make()
          yield* Scope.provide(slots.take("a"), scope)
          const waiting = yield* Effect.forkChild(slots.withSlot("b")(Effect.void))
          yield* settled
          yield* Effect.all([Scope.close(scope, Exit.void), Fiber.interrupt(waiting)], { concurrency: "unbounded" })
          expect(slots.held()).toBe(0)
        }
      })
    ))

  it("serves a crowd of 20,000 one after the other, not one inside the other", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const slots = FairSlots.make(1)
        let served = 0
        const scope = yield* Scope.make()
        yield* Scope.provide(slots.take("a"), scope)
        const crowd = yield* Effect.forkChild(
          Effect.forEach(Array.from({ length: 20_000 }), () => slots.withSlot("b")(Effect.sync(() => void served++)), {
            concurrency: "unbounded",
            discard: true
          })
        )
        yield* settled
        expect(slots.waiting()).toBe(20_000)
        yield* Scope.close(scope, Exit.void)
        yield* Fiber.join(crowd)
        expect([served, slots.held()]).toEqual([20_000, 0])
      })
    ))

  it("loses no slot in any order of a grant and an interruption", () => {
    for (let seed = 1; seed <= 2000; seed++) {
      const slots = FairSlots.make(1)
      const program = Effect.gen(function* () {
        const scope = yield* Scope.make()
        yield* Scope.provide(slots.take("a"), scope)
        const waiting = yield* Effect.forkChild(slots.withSlot("b")(Effect.void))
        yield* Effect.all([Scope.close(scope, Exit.void), Fiber.interrupt(waiting)], { concurrency: "unbounded" })
        return [slots.held(), slots.waiting()]
      })
      expect(interleave(seed, [program]).exits, `seed ${seed}`).toEqual([Exit.succeed([0, 0])])
    }
  })

  it("holds a slot until its scope ends; without waiting only one that is free", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const slots = FairSlots.make(1)
        const inside = Effect.gen(function* () {
          yield* slots.take("a")
          return yield* Effect.scoped(slots.tryTake("b"))
        })
        expect(yield* Effect.scoped(inside)).toBe(false)
        expect(yield* Effect.scoped(slots.tryTake("b"))).toBe(true)
        expect(slots.held()).toBe(0)
      })
    ))
})
