/** The wire form of OpenAI's chat completions. */
import type { Ask, Part, ToolCall } from "@pawl/core/agent/Models"
import { fieldsOf, jsonOf, listOf, stopOf, textOf, textOfBlocks, usageOf, type WireDialect } from "./WireDialect.ts"

const messageOf = (part: Part): unknown => {
  switch (part._tag) {
    case "User":
      return { role: "user", content: part.text }
    case "ToolResult":
      return { role: "tool", tool_call_id: part.id, content: part.text }
    case "Assistant": {
      const calls = part.calls.map(({ id, name, raw }) => ({
        id,
        type: "function",
        function: { name, arguments: raw }
      }))
      return calls.length === 0
        ? { role: "assistant", content: part.text }
        : { role: "assistant", content: part.text === "" ? null : part.text, tool_calls: calls }
    }
  }
}

const toolsOf = ({ mustCall, tools }: Ask): object =>
  tools.length === 0
    ? {}
    : {
        tools: tools.map(({ description, name, parameters }) => ({
          type: "function",
          function: { name, description, parameters }
        })),
        tool_choice: mustCall === null ? "auto" : { type: "function", function: { name: mustCall } }
      }

/** Newer models of OpenAI itself refuse `max_tokens`; other servers know only that. */
const boundName = (url: string): string =>
  /^https:\/\/(api\.openai\.com|[^/]+\.openai\.azure\.com)(?:[:/]|$)/.test(url) ? "max_completion_tokens" : "max_tokens"

const callOf = (value: unknown, at: number): ToolCall => {
  const call = fieldsOf(value)
  const asked = fieldsOf(call?.["function"])
  const given = asked?.["arguments"]
  const raw = typeof given === "string" ? given : JSON.stringify(given ?? {})
  return { id: textOf(call?.["id"]) || `call_${at}`, name: textOf(asked?.["name"]), input: jsonOf(raw), raw }
}

/** `POST <url>/chat/completions`, with a bearer token. */
export const openAiChat: WireDialect = {
  path: "/chat/completions",
  headers: (key) => (key === null ? {} : { authorization: `Bearer ${key}` }),
  body: (model, ask, url) => ({
    model,
    [boundName(url)]: ask.maxOutput,
    stream: false,
    messages: [{ role: "system", content: ask.system }, ...ask.parts.map(messageOf)],
    ...toolsOf(ask)
  }),
  answer: (body) => {
    const [choice] = listOf(fieldsOf(body)?.["choices"])
    const message = fieldsOf(fieldsOf(choice)?.["message"])
    if (message === null) return null
    const { content } = message
    const calls = listOf(message["tool_calls"]).map(callOf)
    const usage = fieldsOf(fieldsOf(body)?.["usage"])
    return {
      text: typeof content === "string" ? content : textOfBlocks(listOf(content)),
      calls,
      stop: stopOf(fieldsOf(choice)?.["finish_reason"], calls.length),
      usage: usageOf({
        input: usage?.["prompt_tokens"],
        cacheRead: fieldsOf(usage?.["prompt_tokens_details"])?.["cached_tokens"],
        cacheWrite: 0,
        output: usage?.["completion_tokens"],
        inputHoldsCached: true
      })
    }
  }
}
