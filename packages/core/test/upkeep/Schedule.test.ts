import { describe, expect, it } from "vitest"
import { dueSlot, type Rhythm, scheduleNames, timetable, untilNextMinute } from "@pawl/core/upkeep/Schedule"

const minute = 60_000
const day = 24 * 60 * minute
const midnight = Date.UTC(2030, 1, 28)
const at = (hours: number, minutes: number, ms = 0) => midnight + (hours * 60 + minutes) * minute + ms
const sweep = timetable["forks.sweep"]

/** Looks at each of these moments, and answers the moments at which something fired. */
const firings = (rhythm: Rhythm, moments: ReadonlyArray<number>, firedAt: number | null): ReadonlyArray<number> => {
  let last = firedAt
  return moments.filter((now) => {
    const slot = dueSlot(rhythm, last, now)
    if (slot === null) return false
    last = slot
    return true
  })
}
const everyMinute = (from: number, count: number, offset = 0) =>
  Array.from({ length: count }, (_, n) => from + n * minute + offset)

describe("The timetable", () => {
  it("fires once a day at 04:17 UTC, in the very minute, however the minutes are met", () => {
    for (const offset of [0, 1, 30_000, 59_999]) {
      const week = everyMinute(midnight, 7 * 24 * 60, offset)
      expect(firings(sweep, week, midnight - day + (4 * 60 + 17) * minute)).toEqual(
        Array.from({ length: 7 }, (_, n) => at(4, 17, offset) + n * day)
      )
    }
  })

  it("fires each minute, and each fifth minute, through a whole day", () => {
    const whole = everyMinute(midnight, 24 * 60, 17)
    expect(firings(timetable["project.cleanup"], whole, midnight - minute)).toEqual(whole)
    expect(firings(timetable["release.recover"], whole, midnight - 5 * minute)).toEqual(
      whole.filter((_, n) => n % 5 === 0)
    )
  })

  it("makes up for a missed 04:17 once, whenever it is back on the same day", () => {
    const yesterday = at(4, 17) - day
    for (let back = 4 * 60 + 17; back < 24 * 60; back++) {
      const rest = everyMinute(midnight + back * minute, 24 * 60 - back)
      expect(firings(sweep, rest, yesterday)).toEqual([midnight + back * minute])
    }
  })

  it("lets a 04:17 go that was missed for the rest of its day", () => {
    for (let back = 0; back < 4 * 60 + 17; back++)
      expect(dueSlot(sweep, at(4, 17) - 2 * day, midnight + back * minute)).toBe(null)
    expect(dueSlot(sweep, at(4, 17) - 9 * day, at(4, 17))).toBe(at(4, 17))
  })

  it("fires only the last of several slots that were missed", () => {
    expect(dueSlot(timetable["release.recover"], at(1, 0), at(3, 59))).toBe(at(3, 55))
    expect(firings(timetable["project.cleanup"], everyMinute(at(9, 0), 3), at(1, 0))).toHaveLength(3)
  })

  it("fires nothing twice when the clock is set back, or seen by two processes that differ", () => {
    for (const name of scheduleNames) {
      const slot = dueSlot(timetable[name], null, at(12, 0)) ?? 0
      for (let n = 0; n <= 24 * 60; n++) {
        const now = at(12, 0) - n * minute
        expect(dueSlot(timetable[name], slot, now)).toBe(null)
      }
    }
  })

  it("begins with what is due today, for an installation that never fired", () => {
    expect(dueSlot(sweep, null, at(4, 16, 59_999))).toBe(null)
    expect(dueSlot(sweep, null, at(4, 17))).toBe(at(4, 17))
    expect(dueSlot(sweep, null, at(23, 59))).toBe(at(4, 17))
  })

  it("waits for the next whole minute, and never not at all", () => {
    expect([0, 1, 59_999, 60_000].map((ms) => untilNextMinute(midnight + ms))).toEqual([60_000, 59_999, 1, 60_000])
  })
})
