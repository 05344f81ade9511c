import * as fc from "fast-check"
import { rounds, seed } from "@pawl/testing/Depth"
import { describe, expect, it } from "vitest"
import { changedLines, linesIn } from "@pawl/core/claim/LineChanges"

const line = fc.constantFrom("a", "b", "c", "}", "", "const one = 1", "const two = 2")
const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.map((each) => `${each}\n`).join(""))

/** Whether the lines of the base that did not change, in their order, stand in the side too. */
const staysIn = (base: ReadonlyArray<string>, side: ReadonlyArray<string>): boolean => {
  const hunks = changedLines(base, side)
  const kept = base.filter((_, at) => !hunks.some(({ from, to }) => at >= from && at < to))
  let at = 0
  for (const each of side) if (each === kept[at]) at++
  return at === kept.length
}

describe("The lines that a side changed", () => {
  it("leave only such lines out as stand in both texts, in one order, whatever the texts", () =>
    fc.assert(
      fc.property(text, text, (base, side) => staysIn(linesIn(base), linesIn(side))),
      { numRuns: rounds({ quick: 300, deep: 5_000, long: 50_000 }), seed }
    ))

  it("are none where nothing changed, and some where anything did, however small", () =>
    fc.assert(
      fc.property(text, text, (base, side) => {
        expect(changedLines(linesIn(base), linesIn(base))).toEqual([])
        expect(changedLines(linesIn(base), linesIn(side)).length > 0).toBe(base !== side)
      }),
      { numRuns: rounds({ quick: 300, deep: 5_000, long: 50_000 }), seed }
    ))

  it.each<readonly [what: string, base: string, side: string, from: number, to: number]>([
    ["a line that says something else", "a\nb\nc\n", "a\nx\nc\n", 1, 2],
    ["a line more, where it was put in", "a\nc\n", "a\nb\nc\n", 1, 1],
    ["every place that a line more may stand in", "a\n}\n}\nc\n", "a\n}\n}\n}\nc\n", 1, 3],
    ["a last line whose end is gone", "a\nb\n", "a\nb", 1, 2]
  ])("are %s", (_, base, side, from, to) => {
    expect(changedLines(linesIn(base), linesIn(side))).toEqual([{ from, to }])
  })
})
