/** What differs between the wire forms, and what both read alike. */
import type { Answer, Ask, StopReason, TokenUsage } from "@pawl/core/agent/Models"

/** One wire form. */
export interface WireDialect {
  /** Of the call, below the endpoint's URL. */
  readonly path: string
  /** With the key, where there is one. */
  readonly headers: (key: string | null) => Readonly<Record<string, string>>
  /** The request's body, before JSON. `url` is the endpoint's. */
  readonly body: (model: string, ask: Ask, url: string) => unknown
  /** What a body means; null when it is no answer of this form. */
  readonly answer: (body: unknown) => Omit<Answer, "requestId"> | null
}

type Fields = Readonly<Record<string, unknown>>

/** The fields of an object; null for anything else. Only what is needed is looked at, so that a new field breaks nothing. */
export const fieldsOf = (value: unknown): Fields | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null

/** A text; empty for anything else. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** A list; empty for anything else. */
export const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** The texts of blocks `{ type: "text", text }`, one after the other. Blocks of other types are left out. */
export const textOfBlocks = (blocks: ReadonlyArray<unknown>): string =>
  blocks
    .map(fieldsOf)
    .map((block) => (block?.["type"] === "text" ? textOf(block["text"]) : ""))
    .join("")

/** A count of tokens; null for what cannot be one. */
const countOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.ceil(value) : null

/** Usage whose counts the provider may have left out. It is known when it told what came in and what went out. */
export const usageOf = (counts: {
  readonly input: unknown
  readonly cacheRead: unknown
  readonly cacheWrite: unknown
  readonly output: unknown
  /** Whether `input` counts those from the cache too. */
  readonly inputHoldsCached: boolean
}): TokenUsage => {
  const input = countOf(counts.input)
  const output = countOf(counts.output)
  if (input === null || output === null) return { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, known: false }
  const read = countOf(counts.cacheRead) ?? 0
  const cacheRead = counts.inputHoldsCached ? Math.min(read, input) : read
  return {
    input: counts.inputHoldsCached ? input - cacheRead : input,
    cacheRead,
    cacheWrite: countOf(counts.cacheWrite) ?? 0,
    output,
    known: true
  }
}

/** What a text is as JSON; null when it is none. No text stands for no arguments. */
export const jsonOf = (text: string): unknown => {
  if (text.trim() === "") return {}
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

const stops: Readonly<Record<string, StopReason>> = {
  stop: "end",
  end_turn: "end",
  stop_sequence: "end",
  tool_calls: "tools",
  function_call: "tools",
  tool_use: "tools",
  length: "length",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  content_filter: "refused",
  refusal: "refused"
}

/** Whoever calls a tool waits for it, whatever else was said. */
export const stopOf = (said: unknown, calls: number): StopReason =>
  calls > 0 ? "tools" : Object.hasOwn(stops, textOf(said)) ? stops[textOf(said)]! : "other"
