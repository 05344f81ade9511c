/** The models of an installation, by the options of a server on a machine: where they are asked, which serve, at what price. */
import { type Dialect, dialects } from "@pawl/adapters-models/ModelEndpoint"
import { Limits } from "@pawl/core/primitives/Limits"
import { modelsOf } from "@pawl/server/node/ModelOptions"
import { ServerLimits } from "@pawl/server/ServerLimits"
import type { ModelChoice } from "@pawl/server/workers/Bindings"
import { Option, Redacted } from "effect"
import { whole } from "./WholeNumber.ts"

type Environment = Readonly<Record<string, string | undefined>>

const isDialect = (text: string): text is Dialect => dialects.some((each) => each === text)

/**
 * The models that an environment names, null for none; a text says what is wrong with them. Their key (`PAWL_MODEL_KEY`) is
 * looked at, and no part of the answer.
 */
export const modelChoiceOf = (environment: Environment): ModelChoice | string | null => {
  const given = (name: string) => Option.fromUndefinedOr(environment[name] || undefined)
  const dialect = Option.getOrElse(given("PAWL_MODEL_DIALECT"), () => "openai-chat")
  if (!isDialect(dialect)) return `modelDialect (PAWL_MODEL_DIALECT): use ${dialects.join(" or ")}`
  const context = whole(
    Option.getOrElse(given("PAWL_MODEL_CONTEXT"), () => String(ServerLimits.modelContextTokens)),
    1
  )
  if (context === null) return "modelContext (PAWL_MODEL_CONTEXT): use a whole number above 0"
  const callsPerDay = whole(
    Option.getOrElse(given("AGENT_DAILY_CALL_CAP"), () => String(Limits.modelCallsPerDay)),
    0
  )
  if (callsPerDay === null) return "agentDailyCallCap (AGENT_DAILY_CALL_CAP): use a whole number, 0 or more"
  const models = modelsOf({
    modelDialect: dialect,
    modelUrl: given("PAWL_MODEL_URL"),
    modelKey: Option.map(given("PAWL_MODEL_KEY"), Redacted.make),
    modelFast: given("PAWL_MODEL_FAST"),
    modelBalanced: given("PAWL_MODEL_BALANCED"),
    modelStrong: given("PAWL_MODEL_STRONG"),
    modelPrices: given("PAWL_MODEL_PRICES"),
    modelContext: context
  })
  if (models === null || typeof models === "string") return models
  const { endpoint, tiers } = models
  return { endpoint: { dialect: endpoint.dialect, url: endpoint.url }, tiers, callsPerDay }
}
