import { Limits } from "@pawl/core/primitives/Limits"
import * as StoreTime from "@pawl/core/primitives/StoreTime"
import { describe, expect, it } from "vitest"

/** A store that is `offsetMs` from the own steady clock, asked at `atMs`; the question and the answer take `eachMs`. */
const reading = (offsetMs: number, { atMs = 1000, eachMs = 1, unevenMs = 0 } = {}): StoreTime.Reading => ({
  askedAtMs: atMs,
  answeredAtMs: atMs + 2 * eachMs,
  storeMs: offsetMs + atMs + eachMs + unevenMs
})

const known = StoreTime.first([reading(5_000_000)])
const moved = StoreTime.measured(known, [reading(5_000_000 + 3_600_000)])

describe("The time of a store that is measured", () => {
  it("lies between question and answer, by the quickest of the readings", () => {
    const slow = reading(7_000_000, { eachMs: 300, unevenMs: 250 })
    expect(StoreTime.first([slow, reading(7_000_000), slow])).toMatchObject({ offsetMs: 7_000_000, errorMs: 1 })
    expect(StoreTime.isSteady(known)).toBe(true)
    expect(StoreTime.nextMeasurementMs(known)).toBe(Limits.storeTimeEveryMs)
  })

  it("stays where it is while a slow answer explains the difference, and follows one that nothing explains", () => {
    const slow = StoreTime.measured(known, [reading(5_000_000, { eachMs: 400, unevenMs: 350 })])
    expect(slow.offsetMs).toBe(5_000_000)
    const drifted = StoreTime.measured(known, [reading(5_000_020)])
    expect(drifted).toMatchObject({ offsetMs: 5_000_020, movedMs: 0 })
    expect(StoreTime.isSteady(drifted)).toBe(true)
  })

  it("is not taken for moved because answers take long", () => {
    const late = StoreTime.measured(known, [reading(5_000_000, { eachMs: 4000, unevenMs: 3900 })])
    expect(late).toMatchObject({ offsetMs: 5_000_000, movedMs: 0 })
    expect(StoreTime.isSteady(late)).toBe(true)
  })

  it.each([3_600_000, -3_600_000, 1500, -1500])(
    "follows a store whose clock moved by %i ms at once, and is not steady before it stayed there",
    (byMs) => {
      let now = StoreTime.measured(known, [reading(5_000_000 + byMs)])
      expect(now).toMatchObject({ offsetMs: 5_000_000 + byMs, movedMs: byMs })
      for (let more = 0; more < Limits.storeTimeSteady; more++) {
        expect(StoreTime.isSteady(now)).toBe(false)
        expect(StoreTime.nextMeasurementMs(now)).toBe(Limits.storeTimeAgainMs)
        now = StoreTime.measured(now, [reading(5_000_000 + byMs)])
      }
      expect(StoreTime.isSteady(now)).toBe(true)
    }
  )

  it("is measured again soon while it is not known well, and a slow answer shows nothing of a clock that moved", () => {
    const slow = reading(5_000_000, { eachMs: Limits.storeTimeMovedMs + 1 })
    expect(StoreTime.nextMeasurementMs(StoreTime.first([slow]))).toBe(Limits.storeTimeAgainMs)
    let now = StoreTime.measured(moved, [reading(8_600_000)])
    for (let n = 0; n < 10; n++)
      now = StoreTime.measured(now, [reading(8_600_000, { eachMs: Limits.storeTimeMovedMs + 1 })])
    expect(StoreTime.isSteady(now)).toBe(false)
    expect(StoreTime.isSteady(StoreTime.measured(now, [reading(8_600_000)]))).toBe(true)
  })

  it("counts anew when it moves once more before it was steady", () => {
    const again = StoreTime.measured(StoreTime.measured(moved, [reading(8_600_000)]), [reading(5_000_000)])
    expect(again).toMatchObject({ offsetMs: 5_000_000, movedMs: -3_600_000, steady: 0 })
  })
})
