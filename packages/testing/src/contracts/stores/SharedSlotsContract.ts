/** What every SharedSlots promises: never more than the most of a scope, and what a dead holder leaves comes back. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { SharedSlots } from "@pawl/core/ledger/SharedSlots"
import { onStore, race, type StoreFixture } from "../../tools/StoreFixtures.ts"

const take = (scope: string, max = 4) =>
  Effect.flatMap(SharedSlots, (slots) => slots.take({ scope, max, leaseMs: 1000 }))

/** One that must be free. */
const taken = (scope: string, max = 4) =>
  Effect.map(take(scope, max), (slot) => {
    if (slot === null) throw new Error("no slot was free")
    return slot
  })

/** Declares the suite. Each of its tests has a store of its own. */
export const sharedSlotsContract = (name: string, fixture: StoreFixture): void => {
  const promise = (title: string, body: Parameters<typeof onStore<void, unknown>>[1]) =>
    it(title, () => onStore(fixture, body))

  describe(`${name}: SharedSlots`, () => {
    promise(
      "gives 4 of 40 racing takers a slot when 4 is the most, each another, and each scope its own",
      Effect.gen(function* () {
        const exits = yield* race(Array.from({ length: 40 }, () => take("a")))
        const won = exits.flatMap((exit) => (exit._tag === "Success" && exit.value !== null ? [exit.value.place] : []))
        expect(won.sort((a, b) => a - b)).toEqual([0, 1, 2, 3])
        expect(yield* take("b", 1)).toMatchObject({ scope: "b", place: 0 })
        expect(yield* take("c", 0)).toBe(null)
      })
    )

    promise(
      "gives a slot that was given back to the next, and nothing back for one who holds it no more",
      Effect.gen(function* () {
        const slots = yield* SharedSlots
        const first = yield* taken("a", 1)
        yield* slots.giveBack(first)
        const second = yield* taken("a", 1)
        yield* slots.giveBack(first)
        expect(yield* take("a", 1)).toBe(null)
        expect(yield* slots.renew(second, 1000)).toBe(true)
      })
    )

    promise(
      "tells whether a slot of a scope is held: until it is given back, or its lease ends",
      Effect.gen(function* () {
        const slots = yield* SharedSlots
        expect(yield* slots.isHeld("a")).toBe(false)
        const slot = yield* taken("a", 1)
        expect([yield* slots.isHeld("a"), yield* slots.isHeld("b")]).toEqual([true, false])
        yield* slots.giveBack(slot)
        expect(yield* slots.isHeld("a")).toBe(false)
        yield* taken("a", 1)
        yield* TestClock.adjust(999)
        expect(yield* slots.isHeld("a")).toBe(true)
        yield* TestClock.adjust(1)
        expect(yield* slots.isHeld("a")).toBe(false)
      })
    )

    promise(
      "gets all back at once when their holders are known to be dead, and takes nothing more from those",
      Effect.gen(function* () {
        const slots = yield* SharedSlots
        const [dead] = [yield* taken("a", 2), yield* taken("a", 2), yield* taken("b", 1)]
        yield* slots.giveAllBack
        expect(yield* slots.renew(dead, 1000)).toBe(false)
        for (const scope of ["a", "a", "b"]) yield* taken(scope, scope === "a" ? 2 : 1)
      })
    )

    promise(
      "gets the slot of a holder that died back when its lease ends, and not while it is renewed",
      Effect.gen(function* () {
        const slots = yield* SharedSlots
        const dead = yield* taken("a", 2)
        const alive = yield* taken("a", 2)
        yield* TestClock.adjust(600)
        expect(yield* slots.renew(alive, 1000)).toBe(true)
        yield* TestClock.adjust(600)
        const next = yield* taken("a", 2)
        expect(next.place).toBe(dead.place)
        expect(yield* take("a", 2)).toBe(null)
        expect(yield* slots.renew(dead, 1000)).toBe(false)
        expect(yield* slots.renew(next, 1000)).toBe(true)
      })
    )
  })
}
