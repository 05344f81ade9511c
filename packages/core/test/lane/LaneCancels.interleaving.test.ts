import { expect, it } from "vitest"
import { played, seeds } from "./LaneOrders.ts"

it("three in the lane keep I1 to I10 in every order that is drawn of two workers, a person who promotes, and a cancel", async () => {
  const { distinct, problem } = await played("a cancel")
  expect(problem).toBeNull()
  expect(distinct).toBeGreaterThan(seeds.length * 0.9)
}, 1_150_000)
