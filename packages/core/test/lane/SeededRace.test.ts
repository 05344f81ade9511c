import { describe, expect, it } from "vitest"
import { depth, numbers } from "@pawl/testing/Depth"
import { figuresOf, odds, raced, type Raced } from "./SeededRace.ts"

const seeds = numbers(60, { quick: 6 })

/** What 60 races must keep. A few of them may be the unlucky ones. */
const bounds =
  depth === "quick" ? { p95: 12, runsPerLanded: 8, wrong: 0.06 } : { p95: 5.5, runsPerLanded: 4.2, wrong: 0.01 }

describe("Twenty Changes of which a tenth is bad, in 16 slots with checks that are flaky", () => {
  it("land within 5.5 medians, by 4.2 runs each, and hardly one is rejected wrongly", async () => {
    const races: Array<Raced> = []
    for (const seed of seeds) races.push(await raced(seed))
    const figures = figuresOf(races)
    console.log(`${seeds.length} races: ${JSON.stringify(figures)}`)
    const fates = races.flatMap((race) => race.fates)
    expect(fates.filter(({ after }) => Number.isNaN(after))).toEqual([])
    expect(fates.filter(({ bad, end }) => bad && end === "landed")).toEqual([])
    expect(figures.p95).toBeLessThanOrEqual(bounds.p95)
    expect(figures.runsPerLanded).toBeLessThanOrEqual(bounds.runsPerLanded)
    expect(figures.wrong).toBeLessThanOrEqual(bounds.wrong)
  }, 600_000)

  it("race the same way again by the seed", async () => {
    expect(await raced(3)).toEqual(await raced(3))
  })
})

describe("Twenty Changes of which the first alone is bad, and fails before those that were made on it", () => {
  it("land but for that one, in 16 slots by 40 runs at most, and each is predicted anew once at most", async () => {
    const { fates, runs } = await raced(1, { ...odds, clash: 0, flakeRetries: 0, badFirst: true })
    const [first, ...others] = fates
    expect(first).toMatchObject({ end: "checks_failed", predictions: 0 })
    expect(others.map(({ end }) => end)).toEqual(others.map(() => "landed"))
    expect(runs).toBeLessThanOrEqual(40)
    // Those in the slots were made on it.
    expect(others.filter(({ predictions }) => predictions === 1).length).toBeGreaterThan(12)
    expect(others.filter(({ predictions }) => predictions > 1)).toEqual([])
  })
})
