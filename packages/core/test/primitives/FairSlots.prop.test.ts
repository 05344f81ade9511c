import { Effect, Exit, Fiber, Scope } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as FairSlots from "@pawl/core/primitives/FairSlots"

const keys = ["a", "b", "c", "d"] as const

/** A caller comes under a key, the nth of those inside leaves, or the nth of those that wait is interrupted. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("come" as const), key: fc.constantFrom(...keys) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("leave" as const), nth: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("interrupt" as const), nth: fc.nat(20) }) }
)

interface Caller {
  readonly key: string
  readonly place: number
  readonly scope: Scope.Closeable
  readonly fiber: Fiber.Fiber<void>
}

const settled = Effect.yieldNow.pipe(Effect.repeat({ times: 10 }))

/** Answers who got slots since it was asked last, in order, each judged against those that stayed behind. */
const world = (total: number) => {
  const slots = FairSlots.make(total)
  const waiting: Array<Caller> = []
  const inside: Array<Caller> = []
  const granted: Array<number> = []
  let place = 0
  const come = (key: string) =>
    Effect.gen(function* () {
      const own = place++
      const scope = yield* Scope.make()
      const taken = Effect.andThen(
        slots.take(key),
        Effect.sync(() => void granted.push(own))
      )
      const fiber = yield* Effect.forkChild(Scope.provide(taken, scope))
      waiting.push({ key, place: own, scope, fiber })
    })
  const judge = Effect.gen(function* () {
    yield* settled
    for (const own of granted.splice(0)) {
      const index = waiting.findIndex((each) => each.place === own)
      const [caller] = waiting.splice(index, 1)
      if (caller === undefined) throw new Error("granted twice")
      const heldBy = (key: string) => inside.filter((each) => each.key === key).length
      for (const other of waiting) {
        if (other.key === caller.key) expect(other.place).toBeGreaterThan(caller.place)
        else expect(heldBy(caller.key)).toBeLessThanOrEqual(heldBy(other.key))
      }
      inside.push(caller)
    }
    expect(inside.length).toBe(slots.held())
    expect(inside.length).toBeLessThanOrEqual(total)
    expect(slots.waiting()).toBe(waiting.length)
    // No slot is idle while somebody waits.
    if (waiting.length > 0) expect(inside.length).toBe(total)
  })
  return { slots, waiting, inside, come, judge }
}

describe("FairSlots", () => {
  it("never gives a slot to a key that holds more than another that waits, keeps none idle, and loses none", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { minLength: 20, maxLength: 120 }),
        (total, steps) =>
          Effect.runPromise(
            Effect.gen(function* () {
              const { come, inside, judge, slots, waiting } = world(total)
              for (const each of steps) {
                if (each.do === "come") yield* come(each.key)
                else if (each.do === "leave") {
                  const [left] = inside.length === 0 ? [] : inside.splice(each.nth % inside.length, 1)
                  if (left !== undefined) yield* Scope.close(left.scope, Exit.void)
                } else {
                  const [gone] = waiting.length === 0 ? [] : waiting.splice(each.nth % waiting.length, 1)
                  if (gone !== undefined) yield* Fiber.interrupt(gone.fiber)
                }
                yield* judge
              }
              for (const each of waiting) yield* Fiber.interrupt(each.fiber)
              for (const each of inside) yield* Scope.close(each.scope, Exit.void)
              expect([slots.held(), slots.waiting()]).toEqual([0, 0])
            })
          )
      )
    ))
})
