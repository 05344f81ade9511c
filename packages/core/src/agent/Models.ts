/**
 * Asks language models: one request, one whole answer, no retry. What a call may cost, whether it may be repeated and
 * what its answer means is decided by who asks. The reference has a default without any model, so that a composition
 * need not know of them.
 */
import { Context, type Effect, Schema } from "effect"
import type { ModelTier } from "../model/Task.ts"
import { ModelRefused, type ModelUnavailable } from "./ModelFailures.ts"

/** A tool that a model may call. */
export interface Tool {
  readonly name: string
  /** What it does, for the model. */
  readonly description: string
  /** The JSON Schema of its input: an object. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** One call of a tool, as a model made it. */
export interface ToolCall {
  /** Names the call in its result. `call_<i>` where the provider gave none. */
  readonly id: string
  /** The tool's name, whether there is such a tool or not. */
  readonly name: string
  /** What its arguments are as JSON; null when they are no JSON. They are not judged here. */
  readonly input: unknown
  /** The arguments as they were sent: they are sent back so. */
  readonly raw: string
}

/** What was said so far, first to last. */
export type Part =
  | { readonly _tag: "User"; readonly text: string }
  | { readonly _tag: "Assistant"; readonly text: string; readonly calls: ReadonlyArray<ToolCall> }
  | {
      readonly _tag: "ToolResult"
      /** The call that it answers. */
      readonly id: string
      readonly text: string
      readonly failed: boolean
    }

/** One request. */
export interface Ask {
  /** Names the call: the same for a repetition of the same call, for providers that look at it. */
  readonly callId: string
  readonly tier: ModelTier
  /** What the model is told before everything else. */
  readonly system: string
  /** At least one; the last is not the model's. */
  readonly parts: ReadonlyArray<Part>
  /** None: it answers with text alone. */
  readonly tools: ReadonlyArray<Tool>
  /** The name of the tool that it must call; null when it may call any of them or none. */
  readonly mustCall: string | null
  /** Tokens that the answer may have at most. */
  readonly maxOutput: number
}

/** Tokens of one call. The four add up: what was read from a cache or written to it is not in `input`. */
export const TokenUsage = Schema.Struct({
  input: Schema.Finite,
  cacheRead: Schema.Finite,
  cacheWrite: Schema.Finite,
  output: Schema.Finite,
  /** False when the provider told none: then all are 0, and who asked estimates. */
  known: Schema.Boolean
})
export interface TokenUsage extends Schema.Schema.Type<typeof TokenUsage> {}

/** Why a model stopped. */
export const StopReason = Schema.Literals([
  /** It had said all. */
  "end",
  /** It wants tools to be called. */
  "tools",
  /** Its answer reached `maxOutput`. */
  "length",
  /** It, or its provider, would not answer. */
  "refused",
  /** A reason that is not known here. */
  "other"
])
export type StopReason = typeof StopReason.Type

/** One whole answer. */
export interface Answer {
  readonly text: string
  readonly calls: ReadonlyArray<ToolCall>
  readonly stop: StopReason
  readonly usage: TokenUsage
  /** The provider's name of the request, for its support; null when it told none. */
  readonly requestId: string | null
}

/** US dollars per million tokens. */
export interface ModelPrices {
  readonly input: number
  /** Of tokens that were read from a cache. */
  readonly cached: number
  readonly output: number
}

/** The model that serves a tier. */
export interface TierModel {
  /** As its provider calls it. */
  readonly name: string
  /** Tokens that request and answer may have together. */
  readonly contextTokens: number
  readonly prices: ModelPrices
}

/** What asks models. */
export interface ModelsShape {
  /** Whether there is a model. Then there is one for each tier. */
  readonly available: boolean
  /** The model of a tier; null where none is available. */
  readonly of: (tier: ModelTier) => TierModel | null
  /**
   * Sends one request and waits for its whole answer. Never asks twice by itself. An interrupted request may have been
   * charged.
   */
  readonly ask: (ask: Ask) => Effect.Effect<Answer, ModelUnavailable | ModelRefused>
}

/** Replaced by an installation that has models. */
export const Models = Context.Reference("@pawl/core/agent/Models", {
  defaultValue: (): ModelsShape => ({
    available: false,
    of: () => null,
    ask: () =>
      new ModelRefused({ kind: "credentials", status: null, reason: "no model is set up in this installation" })
  })
})
