import { describe, expect, it } from "vitest"
import { Limits } from "@pawl/core/primitives/Limits"
import {
  dueSlot,
  type Rhythm,
  scheduleNames,
  type Span,
  timetable,
  untilNextMinute,
  workedOn,
  workedSince
} from "@pawl/core/model/Schedule"

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

/** Looks at each of these moments, in minutes: the process of that look has been up since the second. */
const looks = (moments: ReadonlyArray<readonly [now: number, upSince: number]>): ReadonlyArray<Span> =>
  moments.reduce<ReadonlyArray<Span>>(
    (worked, [now, upSince]) =>
      workedOn(worked, {
        enoughMs: 45 * minute,
        everyMs: 5 * minute,
        nowMs: now * minute,
        upSinceMs: upSince * minute
      }),
    []
  )
const fives = (from: number, to: number, upSince = from) =>
  Array.from({ length: (to - from) / 5 + 1 }, (_, n) => [from + n * 5, upSince] as const)

describe("The time in which a worker could work", () => {
  it("is all of it while a worker is up", () => {
    expect(workedSince(looks(fives(0, 60)), 20 * minute)).toBe(40 * minute)
  })

  it("is none while nobody was up, or the store could not say", () => {
    const worked = looks([...fives(0, 20), ...fives(500, 515), ...fives(515, 525, 0).slice(1)])
    expect(workedSince(worked, 0)).toBe((20 + 15 + 10) * minute)
    expect(workedSince(worked, 510 * minute)).toBe(15 * minute)
  })

  it("counts from the start of who looks, when whoever looked before is gone", () => {
    expect(workedSince(looks([...fives(0, 10), [15, 13]]), 0)).toBe(12 * minute)
  })

  it("is kept no further back than anybody asks, however often all workers come and go", () => {
    const flapping = Array.from({ length: 5000 }, (_, n) => [n * 20, n * 20] as const)
    expect(looks(flapping).length).toBeLessThan(3)
    const short = Array.from({ length: 5000 }, (_, n) => [n * 4, n * 4 - 0.001] as const)
    expect(looks(short).length).toBeLessThanOrEqual(Limits.workedSpans)
    const long = looks([...fives(0, 200), ...fives(1000, 1050)])
    expect(long).toEqual([{ from: 1000 * minute, to: 1050 * minute }])
  })
})

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

  it("makes up for a missed 04:17 once, whenever it is back before the next", () => {
    const yesterday = at(4, 17) - day
    for (let back = 4 * 60 + 17; back < 28 * 60 + 17; back++) {
      const rest = everyMinute(midnight + back * minute, 28 * 60 + 17 - back)
      expect(firings(sweep, rest, yesterday)).toEqual([midnight + back * minute])
    }
  })

  it("fires each day for a server that is only up between midnight and 04:00, and once after 30 days", () => {
    const nights = Array.from({ length: 7 }, (_, night) => everyMinute(midnight + night * day, 4 * 60)).flat()
    expect(firings(sweep, nights, midnight - 30 * day)).toEqual(
      Array.from({ length: 7 }, (_, night) => midnight + night * day)
    )
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
