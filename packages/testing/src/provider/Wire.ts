/** Both wire forms, seen from the provider: what a request asks, and how an answer is said. */
import type { Asked, Says, ScriptedCall, ScriptedUsage } from "./Script.ts"

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {})
const listOf = (value: unknown): ReadonlyArray<Fields> => (Array.isArray(value) ? value.map(fieldsOf) : [])
const words = (value: unknown): string =>
  typeof value === "string"
    ? value
    : listOf(value)
        .map((block) => words(block["text"] ?? block["content"] ?? ""))
        .join("")

/** What is common to all requests. */
export const usual: ScriptedUsage = { input: 100, output: 10 }

interface Read {
  readonly system: string
  readonly last: string
  readonly results: number
  readonly tools: ReadonlyArray<string>
}

const readChat = (body: Fields): Read => {
  const messages = listOf(body["messages"])
  return {
    system: words(messages.find(({ role }) => role === "system")?.["content"]),
    last: words(messages.at(-1)?.["content"]),
    results: messages.filter(({ role }) => role === "tool").length,
    tools: listOf(body["tools"]).map((tool) => String(fieldsOf(tool["function"])["name"]))
  }
}

const readMessages = (body: Fields): Read => {
  const blocks = listOf(body["messages"]).flatMap(({ content }) =>
    typeof content === "string" ? [{ type: "text", text: content }] : listOf(content)
  )
  return {
    system: words(body["system"]),
    last: words([blocks.at(-1) ?? {}]),
    results: blocks.filter((block) => fieldsOf(block)["type"] === "tool_result").length,
    tools: listOf(body["tools"]).map(({ name }) => String(name))
  }
}

const rawOf = ({ input, raw }: ScriptedCall): string => raw ?? JSON.stringify(input ?? {})

const sayChat = ({ calls = [], minimal = false, stop, text, ...says }: Says, model: string): unknown => {
  const told = says.usage === undefined ? usual : says.usage
  const usage = told === null ? undefined : chatUsage(told)
  const toolCalls = calls.map((call, at) => ({
    ...(call.id === null ? {} : { id: call.id ?? `call_scripted_${at}` }),
    ...(minimal ? {} : { type: "function" }),
    function: { name: call.name, arguments: rawOf(call) }
  }))
  const message = {
    ...(minimal ? {} : { role: "assistant", refusal: null }),
    content: text ?? null,
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls })
  }
  const choice = {
    ...(minimal ? {} : { index: 0, finish_reason: stop ?? (calls.length > 0 ? "tool_calls" : "stop") }),
    message
  }
  return {
    ...(minimal ? {} : { id: "chatcmpl-scripted", object: "chat.completion", created: 1_760_000_000, model }),
    ...(says.strange === true ? { brand_new: { x: 1 } } : {}),
    choices: [choice],
    ...(says.wrongUsage === undefined ? (usage === undefined ? {} : { usage }) : { usage: says.wrongUsage })
  }
}

const chatUsage = ({ cacheRead = 0, input, output }: ScriptedUsage): object => ({
  prompt_tokens: input + cacheRead,
  completion_tokens: output,
  total_tokens: input + cacheRead + output,
  prompt_tokens_details: { cached_tokens: cacheRead }
})

const sayMessages = ({ calls = [], minimal = false, stop, strange, text, ...says }: Says, model: string): unknown => {
  const told = says.usage === undefined ? usual : says.usage
  const usage = told === null ? undefined : messagesUsage(told)
  const blocks = [
    ...(strange === true ? [{ type: "brand_new_block", x: 1 }] : []),
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...calls.map((call, at) => ({
      type: "tool_use",
      ...(call.id === null ? {} : { id: call.id ?? `toolu_scripted_${at}` }),
      name: call.name,
      input: call.raw ?? call.input ?? {}
    }))
  ]
  return {
    ...(minimal ? {} : { id: "msg_scripted", type: "message", role: "assistant", model, stop_sequence: null }),
    content: blocks,
    ...(minimal ? {} : { stop_reason: stop ?? (calls.length > 0 ? "tool_use" : "end_turn") }),
    ...(says.wrongUsage === undefined ? (usage === undefined ? {} : { usage }) : { usage: says.wrongUsage })
  }
}

const messagesUsage = ({ cacheRead = 0, cacheWrite = 0, input, output }: ScriptedUsage): object => ({
  input_tokens: input,
  cache_read_input_tokens: cacheRead,
  cache_creation_input_tokens: cacheWrite,
  output_tokens: output
})

/** One wire form. */
export interface Form {
  readonly dialect: Asked["dialect"]
  readonly read: (body: Fields) => Read
  readonly say: (says: Says, model: string) => unknown
}

/** By the end of the path that is asked. */
export const formOf = (path: string): Form | null => {
  if (path.endsWith("/chat/completions")) return { dialect: "openai-chat", read: readChat, say: sayChat }
  if (path.endsWith("/messages")) return { dialect: "anthropic-messages", read: readMessages, say: sayMessages }
  return null
}
