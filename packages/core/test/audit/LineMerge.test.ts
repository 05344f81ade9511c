import { describe, expect, it } from "vitest"
import { isMerge } from "@pawl/core/audit/LineMerge"

const text = (lines: string) =>
  lines
    .split(" ")
    .map((line) => `${line}\n`)
    .join("")
const merge = (base: string, ours: string, theirs: string, result: string) =>
  isMerge({ base: text(base), ours: text(ours), theirs: text(theirs), result: text(result) })

describe("The reading of a merge line by line", () => {
  it("takes a text that holds the changes of both sides", () => {
    expect(merge("1 2 3 4 5", "x 2 3 4 5", "1 2 3 4 y", "x 2 3 4 y")).toBe(true)
    expect(merge("1 2 3 4 5", "2 3 4 5", "1 2 3 4 5 6", "2 3 4 5 6")).toBe(true)
    expect(merge("1 2 3", "1 x 3", "1 x 3", "1 x 3")).toBe(true)
    expect(merge("1 2 3", "1 3", "1 3", "1 3")).toBe(true)
    expect(merge("{ a } { b }", "{ a } { c } { b }", "{ a }", "{ a } { c }")).toBe(true)
    expect(isMerge({ base: "", ours: "a", theirs: "", result: "a" })).toBe(true)
  })

  it("refuses one that drops a change of a side, keeps what was taken out, or holds a line of nobody's", () => {
    const sides = ["1 2 3 4 5", "x 2 3 4 5", "1 2 3 4 y"] as const
    for (const result of ["x 2 3 4 5", "1 2 3 4 y", "1 2 3 4 5", "x 2 3 evil 4 y", "x 2 4 y", "x 3 2 4 y"])
      expect([result, merge(...sides, result)]).toEqual([result, false])
    expect(merge("1 2 3 4 5", "2 3 4 5", "1 2 3 4 5 6", "1 2 3 4 5 6")).toBe(false)
    expect(merge("1 2 3", "1 3", "1 3", "1 2 3")).toBe(false)
    expect(isMerge({ base: "a\n", ours: "b\n", theirs: "a\n", result: "b" })).toBe(false)
  })

  it("gives up on texts that could be read in too many ways", () => {
    const many = (count: number, line: string) => `${line}\n`.repeat(count)
    const texts = { base: many(400, "a"), ours: many(300, "a"), theirs: many(500, "a"), result: many(50, "b") }
    expect(isMerge(texts)).toBe(false)
  })
})
