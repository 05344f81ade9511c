import { seed } from "@pawl/testing/Depth"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { costOf } from "@pawl/core/agent/ModelCost"
import { allowanceOf, bookable, costFactorAfter, inputAtMost, usageOf } from "@pawl/core/agent/Reservation"
import { Limits } from "@pawl/core/primitives/Limits"
import { after, answerTo, askOf, prices } from "./Asking.ts"

const usd = fc.integer({ min: 0, max: 3_000_000 }).map((millionths) => millionths / 1e6)
const tokens = fc.integer({ min: 0, max: 200_000 })
const options = { seed, numRuns: 2_000 }
const costs = (input: number, output: number) =>
  costOf(prices, { input: 0, cacheRead: 0, cacheWrite: input, output, known: true })

describe("What is kept for a call", () => {
  it("never takes more than the budget has left, whatever others keep", () =>
    fc.assert(
      fc.property(usd, usd, usd, tokens, tokens, (budgetUsd, spentUsd, reservedUsd, input, maxOutput) => {
        const allowance = allowanceOf({ budgetUsd, spentUsd, reservedUsd }, prices, input, maxOutput)
        if (allowance._tag !== "Reserve") return
        const sum = Math.round((spentUsd + reservedUsd + allowance.reservedUsd) * 1e6)
        expect(sum).toBeLessThanOrEqual(Math.round(budgetUsd * 1e6))
      }),
      options
    ))

  it("covers the call, were all its input written to a cache and its answer as long as it may be", () =>
    fc.assert(
      fc.property(usd, tokens, tokens, (budgetUsd, input, asked) => {
        const allowance = allowanceOf({ budgetUsd, spentUsd: 0, reservedUsd: 0 }, prices, input, asked)
        if (allowance._tag !== "Reserve") return
        const { maxOutput, reservedUsd } = allowance
        expect(maxOutput).toBeLessThanOrEqual(asked)
        expect(maxOutput).toBeGreaterThanOrEqual(Math.min(asked, Limits.modelOutputLeast))
        expect(bookable(costs(input, maxOutput))).toBeLessThanOrEqual(reservedUsd + 1e-9)
      }),
      options
    ))

  it("waits only where others keep money, so that it does not wait for ever", () =>
    fc.assert(
      fc.property(usd, usd, tokens, tokens, (budgetUsd, spentUsd, input, maxOutput) => {
        const allowance = allowanceOf({ budgetUsd, spentUsd, reservedUsd: 0 }, prices, input, maxOutput)
        expect(allowance._tag).not.toBe("Wait")
      }),
      options
    ))

  it("is refused only where not even a short answer fits beside what is spent", () =>
    fc.assert(
      fc.property(usd, usd, usd, tokens, tokens, (budgetUsd, spentUsd, reservedUsd, input, maxOutput) => {
        const allowance = allowanceOf({ budgetUsd, spentUsd, reservedUsd }, prices, input, maxOutput)
        const least = bookable(costs(input, Math.min(maxOutput, Limits.modelOutputLeast)))
        if (allowance._tag === "Exhausted") expect(least).toBeGreaterThan(budgetUsd - spentUsd - 1e-9)
      }),
      options
    ))

  it("is as much more as a call of before cost more than was reckoned", () => {
    const money = { budgetUsd: 5, spentUsd: 0, reservedUsd: 0 }
    const reckoned = allowanceOf(money, prices, 10_000, 4_096)
    if (reckoned._tag !== "Reserve") throw new Error(reckoned._tag)
    const costFactor = costFactorAfter(undefined, reckoned.reservedUsd, reckoned.reservedUsd * 8)
    if (costFactor === undefined) throw new Error("no factor")
    expect(costFactor).toBeCloseTo(8)
    expect(costFactorAfter(costFactor, 1, 1)).toBe(costFactor)
    const next = allowanceOf({ ...money, costFactor }, prices, 10_000, 4_096)
    expect(next).toMatchObject({ _tag: "Reserve", maxOutput: 4_096 })
    if (next._tag === "Reserve") expect(next.reservedUsd).toBeCloseTo(reckoned.reservedUsd * 8, 5)
    expect(allowanceOf({ ...money, costFactor, spentUsd: 4 }, prices, 100_000, 4_096)._tag).toBe("Exhausted")
  })

  it("is nothing for a model that is free, also when nothing is left", () => {
    const free = { input: 0, cached: 0, output: 0 }
    const money = { budgetUsd: 1, spentUsd: 1, reservedUsd: 0 }
    expect(allowanceOf(money, free, 1e6, 4096)).toEqual({ _tag: "Reserve", reservedUsd: 0, maxOutput: 4096 })
  })
})

describe("The tokens of a question", () => {
  const first = askOf("Where is the cart?")
  const answer = answerTo({ ...first, callId: "mc", tier: "fast" }, "In cart.js.")
  const second = after(first, answer, "ok")

  it("are at most its bytes", () => {
    expect(inputAtMost(first, null)).toBeGreaterThanOrEqual(JSON.stringify(first.parts).length)
    expect(inputAtMost(askOf("ü".repeat(1000)), null)).toBeGreaterThan(2000)
  })

  it("are those that were counted, and the bytes that were added since", () => {
    const said = { ask: first, tokens: 20 }
    const added = JSON.stringify(second.parts.slice(1)).length
    expect(inputAtMost(second, said)).toBe(20 + added + Limits.modelInputSlack)
  })

  it.each([
    ["the system's words are others", { ...second, system: "Other." }],
    [
      "an earlier part was changed",
      { ...second, parts: [{ _tag: "User" as const, text: "?" }, ...second.parts.slice(1)] }
    ],
    ["parts were taken out", { ...second, parts: second.parts.slice(1) }]
  ])("are counted anew by bytes where %s", (_, ask) => {
    expect(inputAtMost(ask, { ask: first, tokens: 1 })).toBe(inputAtMost(ask, null))
  })

  it("are more where there are other tools", () => {
    const tools = [{ name: "write", description: "Writes.", parameters: { type: "object" } }]
    const said = { ask: first, tokens: 20 }
    expect(inputAtMost({ ...second, tools }, said)).toBeGreaterThan(inputAtMost(second, said))
  })

  it("are estimated by bytes where the provider tells none, and told ones are left as they are", () => {
    expect(usageOf(first, answer)).toBe(answer.usage)
    const untold = { ...answer, usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, known: false } }
    const estimate = usageOf(first, untold)
    expect(estimate.input).toBeGreaterThan(JSON.stringify(first.parts).length / 4)
    expect(estimate.output).toBeGreaterThan(0)
    expect(estimate.known).toBe(false)
  })
})
