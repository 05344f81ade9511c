import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { shownNow, watchClock } from "../../src/ui/Clock.ts"

describe("The clock of a page", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it("moves on once a minute for all who watch", () => {
    const began = Date.now()
    const seen: Array<number> = []
    const ends = [1, 2].map(() => watchClock(() => void seen.push(shownNow() - began)))
    vi.advanceTimersByTime(120_000)
    for (const end of ends) end()
    expect(seen).toEqual([60_000, 60_000, 120_000, 120_000])
  })

  it("is looked at anew by whoever comes after nobody watched: screens that change faster than it moves show no old time", () => {
    for (let screen = 1; screen <= 5; screen++) {
      const end = watchClock(() => undefined)
      expect(shownNow()).toBe(Date.now())
      vi.advanceTimersByTime(50_000)
      end()
    }
  })
})
