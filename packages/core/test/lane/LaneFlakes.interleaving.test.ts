import { expect, it } from "vitest"
import { played, seeds } from "./LaneOrders.ts"

it("three in the lane keep I1 to I10 in every order that is drawn of two workers, a person who promotes, and checks of which every fourth fails by chance and is run once more", async () => {
  const { distinct, problem, retries } = await played("flaky checks")
  expect(problem).toBeNull()
  expect(retries).toBeGreaterThan(seeds.length / 4)
  expect(distinct).toBeGreaterThan(seeds.length * 0.9)
}, 1_150_000)
