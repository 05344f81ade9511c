/** Where models are asked, and in which wire form. */
import type { Redacted } from "effect"

/**
 * `openai-chat`: `POST <url>/chat/completions`, as OpenAI, Ollama, vLLM and OpenRouter speak it
 * (https://platform.openai.com/docs/api-reference/chat). `anthropic-messages`: `POST <url>/messages`
 * (https://docs.anthropic.com/en/api/messages).
 */
export const dialects = ["openai-chat", "anthropic-messages"] as const
/** One of `dialects`. */
export type Dialect = (typeof dialects)[number]

/** Whose models are asked. */
export interface ModelEndpoint {
  readonly dialect: Dialect
  /** Without the path of the call and without a slash at its end: `https://api.openai.com/v1`. */
  readonly url: string
  /** Goes into one header and nowhere else; null for a provider that asks for none. */
  readonly key: Redacted.Redacted | null
}
