import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { shareLeftFor } from "@pawl/core/bundle/Shares"

const organizations = ["a", "b", "c", "d"] as const
const asks = fc.array(fc.constantFrom(...organizations), { minLength: 20, maxLength: 200 })
const others = fc.subarray([...organizations])

/** Takes one after the other, as asked; answers what each organization got. */
const run = (max: number, before: ReadonlyArray<string>, asked: ReadonlyArray<string>) => {
  const used = new Map<string, number>()
  const refused: Array<string> = []
  let total = 0
  for (const each of asked) {
    if (shareLeftFor(each, { max, total, used, before: new Set(before) }) !== "some") {
      refused.push(each)
      continue
    }
    used.set(each, (used.get(each) ?? 0) + 1)
    total++
  }
  return { used, total, refused }
}

describe("The shares of a budget", () => {
  it("let one organization that is alone use all of it, and nothing beyond", () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), (max) => {
        const { total, refused } = run(
          max,
          ["a"],
          Array.from({ length: max + 5 }, () => "a")
        )
        expect([total, refused.length]).toEqual([max, 5])
      })
    ))

  it("keep for each that used some in the period before what it did not use of an equal share, whoever asks how often", () =>
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 60 }), others, asks, (max, before, asked) => {
        const { total, used } = run(max, before, asked)
        expect(total).toBeLessThanOrEqual(max)
        // Those of the period before come late, and find their whole share.
        const late = before.flatMap((each) => Array.from({ length: max }, () => each))
        const after = run(max, before, [...asked.filter((each) => !before.includes(each)), ...late])
        const active = new Set([...before, ...asked])
        for (const each of before)
          expect(after.used.get(each) ?? 0).toBeGreaterThanOrEqual(Math.floor(max / active.size))
        expect(Array.from(used.values()).reduce((sum, each) => sum + each, 0)).toBe(total)
      }),
      { numRuns: 2000 }
    ))

  it("say whether nothing is left at all, or what is left is kept for others", () => {
    const used = new Map([["a", 30]])
    expect(shareLeftFor("a", { max: 60, total: 30, used, before: new Set("b") })).toBe("kept")
    expect(shareLeftFor("b", { max: 60, total: 30, used, before: new Set() })).toBe("some")
    expect(shareLeftFor("a", { max: 60, total: 60, used, before: new Set("b") })).toBe("none")
    expect(shareLeftFor("a", { max: 60, total: 30, used, before: new Set() })).toBe("some")
  })
})
