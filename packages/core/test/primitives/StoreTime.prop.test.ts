/** What measuring a store's clock shows, whatever the questions and answers take on their way. */
import { Limits } from "@pawl/core/primitives/Limits"
import * as StoreTime from "@pawl/core/primitives/StoreTime"
import { rounds, seed } from "@pawl/testing/Depth"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

/** One way, ms: up to 20 s, and mostly little. Quarters are added without a rest. */
const way = fc.oneof({ weight: 3, arbitrary: fc.nat(20).map((n) => n / 4) }, fc.nat(20_000))
/** The ways of a question and of its answer. */
const ways = fc.record({ thereMs: way, backMs: way })
const measurement = fc.array(ways, { minLength: 1, maxLength: 3 })
const runs = { numRuns: rounds({ quick: 200, deep: 2000, long: 20_000 }), seed }

const offset = fc.integer({ min: -2_000_000_000_000, max: 2_000_000_000_000 })

type Ways = ReadonlyArray<{ readonly thereMs: number; readonly backMs: number }>

/** One reading after the other, of a store that is `offsetMs` from the own steady clock. */
const readingsOf = (all: Ways, offsetMs: number, fromMs: number): [StoreTime.Reading, ...Array<StoreTime.Reading>] => {
  let askedAtMs = fromMs
  const readings = all.map(({ backMs, thereMs }) => {
    const answeredAtMs = askedAtMs + thereMs + backMs
    const reading = { askedAtMs, answeredAtMs, storeMs: offsetMs + askedAtMs + thereMs }
    askedAtMs = answeredAtMs
    return reading
  })
  return [readings[0]!, ...readings.slice(1)]
}

describe("The time of a store that is measured", () => {
  it("is wrong by half of the quickest round trip at most, whichever way of it took the time", () => {
    fc.assert(
      fc.property(offset, measurement, fc.array(measurement, { maxLength: 10 }), (offsetMs, first, more) => {
        let known = StoreTime.first(readingsOf(first, offsetMs, 0))
        const quickest = Math.min(...first.map(({ backMs, thereMs }) => thereMs + backMs))
        expect(known.errorMs).toBe(quickest / 2)
        for (const [n, each] of more.entries()) {
          expect(Math.abs(known.offsetMs - offsetMs)).toBeLessThanOrEqual(known.errorMs)
          const before = known.errorMs
          known = StoreTime.measured(known, readingsOf(each, offsetMs, (n + 1) * 100_000))
          expect(known.errorMs).toBeLessThanOrEqual(before)
        }
        expect(Math.abs(known.offsetMs - offsetMs)).toBeLessThanOrEqual(known.errorMs)
      }),
      runs
    )
  })

  it("never counts as moved while it does not, however slow and uneven the answers are", () => {
    fc.assert(
      fc.property(
        offset,
        measurement,
        fc.array(measurement, { minLength: 1, maxLength: 10 }),
        (offsetMs, first, more) => {
          let known = StoreTime.first(readingsOf(first, offsetMs, 0))
          for (const [n, each] of more.entries()) {
            known = StoreTime.measured(known, readingsOf(each, offsetMs, (n + 1) * 100_000))
            expect(known).toMatchObject({ movedMs: 0 })
            expect(StoreTime.isSteady(known)).toBe(true)
          }
        }
      ),
      runs
    )
  })

  it("is followed at once where it moves by more than answers explain, and then told until two quick measurements agree", () => {
    const away = fc.oneof(fc.integer({ min: 45_000, max: 1e9 }), fc.integer({ min: -1e9, max: -45_000 }))
    fc.assert(
      fc.property(
        offset,
        away,
        measurement,
        measurement,
        fc.array(measurement, { maxLength: 10 }),
        (was, by, one, two, more) => {
          const known = StoreTime.first(readingsOf(one, was, 0))
          let now = StoreTime.measured(known, readingsOf(two, was + by, 100_000))
          expect(StoreTime.isSteady(now)).toBe(false)
          expect(Math.abs(now.movedMs - by)).toBeLessThanOrEqual(known.errorMs + now.errorMs)
          expect(Math.abs(now.offsetMs - (was + by))).toBeLessThanOrEqual(now.errorMs)
          let alike = 0
          for (const [n, each] of more.entries()) {
            now = StoreTime.measured(now, readingsOf(each, was + by, (n + 2) * 100_000))
            const quickest = Math.min(...each.map(({ backMs, thereMs }) => thereMs + backMs))
            if (quickest / 2 <= Limits.storeTimeMovedMs) alike++
            expect(StoreTime.isSteady(now)).toBe(alike >= 2)
          }
        }
      ),
      runs
    )
  })
})
