/** What a scripted model does with a request, in words of no wire form. */

/** A call of a tool. With `raw` its arguments are sent as that text, JSON or not. */
export interface ScriptedCall {
  readonly name: string
  readonly input?: unknown
  readonly raw?: string
  /** Of the call; made up when it is missing, left out when it is null. */
  readonly id?: string | null
}

/** Tokens that are told. `input` counts none from the cache. */
export interface ScriptedUsage {
  readonly input: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly output: number
}

/** An answer of 200. */
export interface Says {
  readonly _tag: "Says"
  readonly text?: string
  readonly calls?: ReadonlyArray<ScriptedCall>
  /** 100 tokens in and 10 out when it is missing; none is told when it is null; anything else is sent as it is. */
  readonly usage?: ScriptedUsage | null
  /** Sent in place of the wire form's own usage. */
  readonly wrongUsage?: unknown
  /** Sent in place of the wire form's own word. */
  readonly stop?: string
  /** Only the fields that are needed. */
  readonly minimal?: boolean
  /** Begins with a block of a type that nobody knows, where the wire form has blocks. */
  readonly strange?: boolean
}

/** What a model does with one request. */
export type Turn =
  | Says
  /** Any other response, whole. */
  | {
      readonly _tag: "Responds"
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }
  /** An answer that breaks off in its middle. It was paid for. */
  | { readonly _tag: "Cuts" }
  /** No answer, for as long as the provider runs. */
  | { readonly _tag: "Silent" }

/** One request, read alike from both wire forms. */
export interface Asked {
  /** From 0, in the order of arrival. */
  readonly at: number
  readonly dialect: "openai-chat" | "anthropic-messages"
  /** Of the header `Idempotency-Key`; null without one. */
  readonly callId: string | null
  readonly model: string
  readonly system: string
  /** The last text that the model is told: a user's words or a tool's result. */
  readonly last: string
  /** How many results of tools it holds. */
  readonly results: number
  readonly tools: ReadonlyArray<string>
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: Readonly<Record<string, unknown>>
  /** The body as it was sent. */
  readonly text: string
}

/** What a scripted model does, by what it is asked. */
export type Script = (asked: Asked) => Turn | Promise<Turn>

/** Calls of tools, one answer after the other; the last one is said again and again. */
export const inTurn = (...turns: readonly [Turn, ...ReadonlyArray<Turn>]): Script => {
  let next = 0
  return () => turns[Math.min(next++, turns.length - 1)] ?? turns[0]
}

/** An answer of text alone. */
export const says = (text: string): Says => ({ _tag: "Says", text })

/** An answer that calls one tool. */
export const calls = (name: string, input: unknown): Says => ({ _tag: "Says", calls: [{ name, input }] })
