/** What calls of models cost. */
import { Limits } from "../primitives/Limits.ts"
import type { ModelPrices, TokenUsage } from "./Models.ts"

const million = 1_000_000

/** US dollars. What is written to a cache costs more than what is only read by the model. */
export const costOf = (prices: ModelPrices, { cacheRead, cacheWrite, input, output }: TokenUsage): number =>
  ((input + cacheWrite * Limits.cacheWriteFactor) * prices.input + cacheRead * prices.cached + output * prices.output) /
  million
