/** The options that name language models: where they are asked, which one serves each tier, and what it costs. */
import type { HttpModelsOptions } from "@pawl/adapters-models/HttpModels"
import type { Dialect } from "@pawl/adapters-models/ModelEndpoint"
import type { ModelPrices } from "@pawl/core/agent/Models"
import type { ModelTier } from "@pawl/core/model/Task"
import { Option, Redacted, Result } from "effect"

/** Weakest first. */
const tiers = ["fast", "balanced", "strong"] as const satisfies ReadonlyArray<ModelTier>

/** A price of nothing, for models of one's own. */
const free: ModelPrices = { input: 0, cached: 0, output: 0 }

/** What `modelPrices` takes. */
const pricesForm = "use fast=in/cached/out,balanced=…,strong=… in USD per million tokens, or 0 for free"

/** An option of the specification that has a name of its own, by ours. */
export const specifiedNames = (): Readonly<Record<string, string>> => {
  const cap = process.env["AGENT_DAILY_CALL_CAP"]?.trim() ?? ""
  return cap === "" ? {} : { agentDailyCallCap: cap }
}

/** The options of models, as they were read. */
export interface ReadModelOptions {
  readonly modelDialect: Dialect
  readonly modelUrl: Option.Option<string>
  readonly modelKey: Option.Option<Redacted.Redacted>
  readonly modelFast: Option.Option<string>
  readonly modelBalanced: Option.Option<string>
  readonly modelStrong: Option.Option<string>
  readonly modelPrices: Option.Option<string>
  readonly modelContext: number
}

type ByTier<A> = Readonly<Record<ModelTier, A>>

const amountOf = (text: string): number | null => (/^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : null)

const priceOf = (text: string): ModelPrices | null => {
  if (text === "0") return free
  const [input, cached, output, ...more] = text.split("/").map((part) => amountOf(part.trim()))
  if (input == null || cached == null || output == null || more.length > 0) return null
  return { input, cached, output }
}

/** What each tier costs that the text names; a failure says what is wrong. */
const pricesOf = (text: string): Result.Result<ByTier<ModelPrices | null>, string> => {
  if (text.trim() === "0") return Result.succeed({ fast: free, balanced: free, strong: free })
  const found: Record<ModelTier, ModelPrices | null> = { fast: null, balanced: null, strong: null }
  for (const part of text.split(",")) {
    const [name = "", ...rest] = part.split("=").map((each) => each.trim())
    const tier = tiers.find((each) => each === name)
    const price = rest.length === 1 ? priceOf(rest[0]!) : null
    if (tier === undefined || price === null) return Result.fail(pricesForm)
    if (found[tier] !== null) return Result.fail(`${tier} stands there twice`)
    found[tier] = price
  }
  return Result.succeed(found)
}

/** The tier whose model serves this one: itself, else the next stronger that has one, else the next weaker. */
const servedBy = (named: ByTier<unknown>, tier: ModelTier): ModelTier | undefined => {
  const at = tiers.indexOf(tier)
  return [...tiers.slice(at), ...tiers.slice(0, at).toReversed()].find((each) => named[each] !== null)
}

/** Whether a key can stand in a header. */
const isSendable = (key: string): boolean => /^[!-~]+$/.test(key)

/** The URL without slashes at its end; null for what can be no base of calls. */
const baseOf = (text: string): string | null => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return null
  return url.search === "" && url.hash === "" && !text.includes("?") ? text.replace(/\/+$/, "") : null
}

/** `modelPrices (PAWL_MODEL_PRICES): …` */
const refusal = (name: "Url" | "Key" | "Prices", words: string): string =>
  `model${name} (PAWL_MODEL_${name.toUpperCase()}): ${words}`

const nameOf = (option: Option.Option<string>): string | null => {
  const name = Option.getOrElse(option, () => "").trim()
  return name === "" ? null : name
}

/** What each tier costs, by the price of itself, else of the tier whose model it has. A text says what is wrong. */
const tierPrices = (read: ReadModelOptions): ((tier: ModelTier, from: ModelTier) => ModelPrices | null) | string => {
  if (Option.isNone(read.modelPrices)) {
    if (Option.isSome(read.modelKey))
      return refusal("Prices", `a key without prices would spend money that nobody counts: ${pricesForm}`)
    return () => free
  }
  const prices = pricesOf(read.modelPrices.value)
  if (Result.isFailure(prices)) return refusal("Prices", prices.failure)
  return (tier, from) => prices.success[tier] ?? prices.success[from]
}

/** The models that these options name; null without any, and a text that says what is wrong with them. */
export const modelsOf = (read: ReadModelOptions): HttpModelsOptions | string | null => {
  const price = tierPrices(read)
  if (typeof price === "string") return price
  const named = {
    fast: nameOf(read.modelFast),
    balanced: nameOf(read.modelBalanced),
    strong: nameOf(read.modelStrong)
  }
  const url = nameOf(read.modelUrl)
  const hasName = tiers.some((tier) => named[tier] !== null)
  if (url === null)
    return hasName || Option.isSome(read.modelKey)
      ? refusal("Url", "a model or a key is named, and no URL to ask at")
      : null
  const base = baseOf(url)
  if (base === null) return refusal("Url", "use http://host/path or https://host/path, without a user and a query")
  if (/\/(chat\/completions|messages)$/.test(base))
    return refusal("Url", "leave out the path of the call: it ends before /chat/completions or /messages")
  if (Option.isSome(read.modelKey) && !isSendable(Redacted.value(read.modelKey.value)))
    return refusal("Key", "a key is one line of visible ASCII characters, without blanks")
  if (!hasName) return refusal("Url", "name a model: PAWL_MODEL_FAST, PAWL_MODEL_BALANCED or PAWL_MODEL_STRONG")
  const unpriced: Array<ModelTier> = []
  const serving = (tier: ModelTier) => {
    const from = servedBy(named, tier) ?? tier
    const prices = price(tier, from)
    if (prices === null) unpriced.push(from)
    return { name: named[from] ?? "", contextTokens: read.modelContext, prices: prices ?? free }
  }
  const served = { fast: serving("fast"), balanced: serving("balanced"), strong: serving("strong") }
  if (unpriced.length > 0) return refusal("Prices", `${unpriced[0]} has no price: ${pricesForm}`)
  return {
    endpoint: { dialect: read.modelDialect, url: base, key: Option.getOrNull(read.modelKey) },
    tiers: served
  }
}
