import { costOf } from "@pawl/core/agent/ModelCost"
import { expect, it } from "vitest"

const prices = { input: 3, cached: 0.3, output: 15 }
const usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, known: true }

it.each([
  ["what came in", { input: 1_000_000 }, 3],
  ["what was read from a cache", { cacheRead: 1_000_000 }, 0.3],
  ["what was written to a cache, for a quarter more", { cacheWrite: 1_000_000 }, 3.75],
  ["what went out", { output: 1_000_000 }, 15],
  ["nothing", {}, 0]
])("A call costs %s", (_, counts, usd) => {
  expect(costOf(prices, { ...usage, ...counts })).toBeCloseTo(usd, 12)
})

it("A call of several kinds of tokens costs their sum", () => {
  expect(costOf(prices, { ...usage, input: 200, cacheRead: 1000, output: 30 })).toBeCloseTo(0.00135, 12)
})

it("A free model costs nothing", () => {
  expect(costOf({ input: 0, cached: 0, output: 0 }, { ...usage, input: 10, output: 10 })).toBe(0)
})
