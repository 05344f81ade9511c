/** What every DailyCounter promises: never more than the most of a day, whoever takes. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { DailyCounter } from "@pawl/core/bundle/DailyCounter"
import { Retention } from "@pawl/core/ledger/Retention"
import { onStore, race, type StoreFixture } from "../../tools/StoreFixtures.ts"

const take = (name: string, day: string, max: number) =>
  Effect.flatMap(DailyCounter, (counter) => counter.take(name, day, max))

/** Declares the suite. Each of its tests has a store of its own. */
export const dailyCounterContract = (name: string, fixture: StoreFixture) => {
  const promise = (title: string, body: Parameters<typeof onStore<void, unknown>>[1]) =>
    it(title, () => onStore(fixture, body))

  describe(`${name}: DailyCounter`, () => {
    promise(
      "counts up to the most, each name and each day by itself",
      Effect.gen(function* () {
        expect(yield* take("a", "2030-01-01", 2)).toBe(true)
        expect(yield* take("a", "2030-01-01", 2)).toBe(true)
        expect(yield* take("a", "2030-01-01", 2)).toBe(false)
        expect(yield* take("a", "2030-01-01", 3)).toBe(true)
        expect(yield* take("a", "2030-01-01", 2)).toBe(false)
        expect(yield* take("a", "2030-01-02", 1)).toBe(true)
        expect(yield* take("b", "2030-01-01", 1)).toBe(true)
        expect(yield* take("c", "2030-01-01", 0)).toBe(false)
        const used = (of: string, day: string) => Effect.flatMap(DailyCounter, (counter) => counter.used(of, day))
        expect([
          yield* used("a", "2030-01-01"),
          yield* used("b", "2030-01-01"),
          yield* used("c", "2030-01-01")
        ]).toEqual([3, 1, 0])
      })
    )

    promise(
      "gives 60 of 100 racing takers what they ask for when 60 is the most",
      Effect.gen(function* () {
        const taken = yield* race(Array.from({ length: 100 }, () => take("a", "2030-01-01", 60)))
        expect(taken.filter((exit) => exit._tag === "Success" && exit.value)).toHaveLength(60)
      })
    )

    promise(
      "loses no use that many add at once, and takes none beyond it",
      Effect.gen(function* () {
        const counter = yield* DailyCounter
        yield* race(Array.from({ length: 50 }, () => counter.add("a", "2030-01-01", 1000)))
        expect(yield* counter.used("a", "2030-01-01")).toBe(50_000)
        expect(yield* take("a", "2030-01-01", 50_000)).toBe(false)
        expect(yield* counter.used("a", "2030-01-02")).toBe(0)
      })
    )

    promise(
      "counts other names up with one, as often as that one, and never when it is at its most",
      Effect.gen(function* () {
        const counter = yield* DailyCounter
        yield* counter.add("a", "2030-01-01", 5, ["a/one", "a-of/x"])
        const taken = yield* race(
          Array.from({ length: 20 }, (_, at) => counter.take("a", "2030-01-01", 15, ["a/one", `a-of/${at}`]))
        )
        expect(taken.filter((exit) => exit._tag === "Success" && exit.value)).toHaveLength(10)
        expect(yield* counter.used("a", "2030-01-01")).toBe(15)
        expect(Object.fromEntries(yield* counter.usedBy("a/", "2030-01-01"))).toEqual({ "a/one": 15 })
        const own = [...(yield* counter.usedBy("a-of/", "2030-01-01")).values()].toSorted((one, other) => other - one)
        expect(own).toEqual([5, ...Array.from({ length: 10 }, () => 1)])
      })
    )

    promise(
      "lists what is used under the names that begin alike, of one day",
      Effect.gen(function* () {
        const counter = yield* DailyCounter
        for (const name of ["a/one", "a/two", "ab", "b/one", "a"]) yield* counter.add(name, "2030-01-01", name.length)
        yield* counter.add("a/two", "2030-01-02", 1)
        expect(Object.fromEntries(yield* counter.usedBy("a/", "2030-01-01"))).toEqual({ "a/one": 5, "a/two": 5 })
        expect((yield* counter.usedBy("%", "2030-01-01")).size).toBe(0)
      })
    )

    promise(
      "forgets days long gone, and not today",
      Effect.gen(function* () {
        yield* take("a", "2029-06-01", 1)
        yield* take("a", "2030-01-01", 1)
        yield* TestClock.adjust(1000)
        expect(yield* Effect.flatMap(Retention, (retention) => retention.sweep)).toMatchObject({ counters: 1 })
        expect(yield* take("a", "2030-01-01", 1)).toBe(false)
      })
    )
  })
}
