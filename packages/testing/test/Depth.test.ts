import { describe, expect, it } from "vitest"
import { depth, numbers, rounds, seed, slice } from "@pawl/testing/Depth"
import { sliceOf, slices } from "@pawl/testing/Slices"

const list = (length: number) => Array.from({ length }, (_, index) => index)

describe("the slices of quick runs", () => {
  it("take every item in ten seeds in a row, wherever those begin", () => {
    for (const length of [0, 1, 2, 7, 10, 11, 99, 1000])
      for (const quick of [0, 1, 3, 10, 50, 1000])
        for (const begin of [0, 7, 268_435_449]) {
          const taken = list(slices).flatMap((commit) => sliceOf(list(length), quick, begin + commit))
          expect([...new Set(taken)].toSorted((a, b) => a - b)).toEqual(list(length))
        }
  })

  it("are as short as asked, but never under a tenth", () => {
    expect(sliceOf(list(100), 25, 3)).toHaveLength(25)
    expect(sliceOf(list(100), 1, 3)).toHaveLength(10)
    expect(sliceOf(list(3), 10, 3)).toEqual([0, 1, 2])
  })

  it("keep the order and say the same again", () => {
    expect(sliceOf(list(30), 10, 1)).toEqual([1, 4, 7, 10, 13, 16, 19, 22, 25, 28])
  })
})

describe("the depth of this run", () => {
  it("is what the runner provides", () => {
    expect(["quick", "deep", "long"]).toContain(depth)
    expect(seed).toBeGreaterThanOrEqual(0)
    expect(rounds({ quick: 1, deep: 2, long: 3 })).toBe({ quick: 1, deep: 2, long: 3 }[depth])
    expect(rounds({ quick: 1, deep: 2 })).toBe(depth === "quick" ? 1 : 2)
    expect(slice(list(100), { quick: 10 })).toHaveLength(depth === "quick" ? 10 : 100)
    expect(numbers(100, { quick: 10 })).toEqual(numbers(100, { quick: 10 }).toSorted((a, b) => a - b))
  })
})
