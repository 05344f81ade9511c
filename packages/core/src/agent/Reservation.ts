/** How much a call may cost at most, and whether its Change has that much left. Pure. */
import type { Change } from "../model/Change.ts"
import { utf8Length } from "../primitives/CodePoints.ts"
import { Limits } from "../primitives/Limits.ts"
import type { Answer, ModelPrices, Part, TokenUsage } from "./Models.ts"
import type { TurnAsk } from "./Turns.ts"

/** What the model was asked last in the same talk, and the tokens that this had: it told them. */
export interface Said {
  readonly ask: TurnAsk
  readonly tokens: number
}

const bytesOf = (said: unknown): number => utf8Length(JSON.stringify(said))

/** Parts that come after those of before; null when those do not stand at the beginning any more. */
const partsSince = ({ parts }: TurnAsk, before: TurnAsk): ReadonlyArray<Part> | null =>
  before.parts.length <= parts.length && before.parts.every((part, at) => part === parts[at])
    ? parts.slice(before.parts.length)
    : null

/** Tokens that come in at most: no token is shorter than a byte. What was counted before is known better than that. */
export const inputAtMost = (ask: TurnAsk, said: Said | null): number => {
  const whole = bytesOf([ask.system, ask.tools, ask.parts])
  const since = said === null || said.ask.system !== ask.system ? null : partsSince(ask, said.ask)
  if (said === null || since === null) return whole + Limits.modelInputSlack
  const tools = JSON.stringify(ask.tools)
  const added = bytesOf(since) + (tools === JSON.stringify(said.ask.tools) ? 0 : utf8Length(tools))
  return Math.min(whole, said.tokens + added) + Limits.modelInputSlack
}

/** All tokens that came in, wherever they were read from; null where the provider told none. */
export const inputTokens = ({ cacheRead, cacheWrite, input, known }: TokenUsage): number | null =>
  known ? input + cacheRead + cacheWrite : null

/** The usage of a call: what its provider told, or else an estimate by bytes. */
export const usageOf = (ask: TurnAsk, { calls, text, usage }: Answer): TokenUsage => {
  if (usage.known) return usage
  const tokens = (said: unknown) => Math.ceil(bytesOf(said) / Limits.modelBytesPerToken)
  return {
    input: tokens([ask.system, ask.tools, ask.parts]),
    cacheRead: 0,
    cacheWrite: 0,
    output: tokens([text, calls.map(({ name, raw }) => [name, raw])]),
    known: false
  }
}

/** Whether a call may be made. */
export type Allowance =
  /** It may. `maxOutput` is what was asked for, or less: in tokens. */
  | { readonly _tag: "Reserve"; readonly reservedUsd: number; readonly maxOutput: number }
  /** Other calls keep the money for now. */
  | { readonly _tag: "Wait" }
  /** It is spent. */
  | { readonly _tag: "Exhausted" }

type Money = Pick<Change, "budgetUsd" | "spentUsd" | "reservedUsd" | "costFactor">

/** Millionths of a dollar: whole numbers, so that sums are exact. */
const millionths = (usd: number): number => Math.round(usd * 1e6)
/** A cost in millionths of a dollar, never less than it is. What is added by floating point is taken off. */
const atLeast = (cost: number): number => Math.max(0, Math.ceil(cost - 1e-6))

/** Two sums of US dollars together, exact to a millionth. */
export const sumOf = (a: number, b: number): number => (millionths(a) + millionths(b)) / 1e6

/** US dollars, in whole millionths: never less than what is charged. */
export const bookable = (usd: number): number => atLeast(usd * 1e6) / 1e6

/**
 * The factor of a Change after a call that cost `costUsd` and had `reservedUsd`. Who charges more than can be reckoned
 * is believed to go on so: the next call has as much more reserved, and one that the budget does not hold is not made.
 */
export const costFactorAfter = (before: number | undefined, reservedUsd: number, costUsd: number): number | undefined =>
  reservedUsd > 0 && costUsd > reservedUsd ? (before ?? 1) * (costUsd / reservedUsd) : before

/**
 * Reserves what a call costs at most. When the budget has less, the answer may be shorter, but not shorter than
 * `Limits.modelOutputLeast`; when others keep the rest, it waits for them.
 */
export const allowanceOf = (money: Money, prices: ModelPrices, tokensIn: number, maxOutput: number): Allowance => {
  // A price of US dollars for a million tokens is one of millionths of a dollar for each.
  const factor = money.costFactor ?? 1
  const input = factor * tokensIn * Limits.cacheWriteFactor * prices.input
  const outputPrice = factor * prices.output
  const cost = (output: number): number => atLeast(input + output * outputPrice)
  const left = millionths(money.budgetUsd) - millionths(money.spentUsd)
  const free = left - millionths(money.reservedUsd)
  const least = Math.min(maxOutput, Limits.modelOutputLeast)
  const longest = (room: number): number =>
    cost(maxOutput) <= room ? maxOutput : outputPrice > 0 ? Math.floor((room - input) / outputPrice) : -1
  const reserve = (output: number): Allowance => ({
    _tag: "Reserve",
    reservedUsd: cost(output) / 1e6,
    maxOutput: output
  })
  if (cost(maxOutput) <= free) return reserve(maxOutput)
  if (cost(least) > left) return { _tag: "Exhausted" }
  // Whole, when the others have come to their end.
  if (cost(maxOutput) <= left) return { _tag: "Wait" }
  const output = longest(free)
  return output >= least && cost(output) <= free ? reserve(output) : { _tag: "Wait" }
}
