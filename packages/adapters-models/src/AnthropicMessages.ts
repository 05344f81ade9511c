/** The wire form of Anthropic's messages. */
import type { Ask, Part, ToolCall } from "@pawl/core/agent/Models"
import { fieldsOf, jsonOf, stopOf, textOf, textOfBlocks, usageOf, type WireDialect } from "./WireDialect.ts"

/** Everything before a block that has this mark may be read from a cache next time. */
const cacheMark = { cache_control: { type: "ephemeral" } } as const

interface Message {
  readonly role: "user" | "assistant"
  readonly content: Array<object>
}

const blocksOf = (part: Part): ReadonlyArray<object> => {
  switch (part._tag) {
    case "User":
      return [{ type: "text", text: part.text }]
    case "ToolResult":
      return [{ type: "tool_result", tool_use_id: part.id, content: part.text, is_error: part.failed }]
    case "Assistant":
      return [
        ...(part.text === "" ? [] : [{ type: "text", text: part.text }]),
        ...part.calls.map(({ id, input, name }) => ({ type: "tool_use", id, name, input: fieldsOf(input) ?? {} }))
      ]
  }
}

/** Roles take turns: what one says in a row is one message. The last block carries the mark of the cache. */
const messagesOf = (parts: ReadonlyArray<Part>): ReadonlyArray<Message> => {
  const messages: Array<Message> = []
  for (const part of parts) {
    const role = part._tag === "Assistant" ? "assistant" : "user"
    const blocks = blocksOf(part)
    const last = messages.at(-1)
    if (last?.role === role) last.content.push(...blocks)
    else if (blocks.length > 0) messages.push({ role, content: [...blocks] })
  }
  const content = messages.at(-1)?.content
  const end = content?.pop()
  if (content !== undefined && end !== undefined) content.push({ ...end, ...cacheMark })
  return messages
}

const toolsOf = ({ mustCall, tools }: Ask): object =>
  tools.length === 0
    ? {}
    : {
        tools: tools.map(({ description, name, parameters }) => ({ name, description, input_schema: parameters })),
        tool_choice: mustCall === null ? { type: "auto" } : { type: "tool", name: mustCall }
      }

const callsOf = (blocks: ReadonlyArray<unknown>): ReadonlyArray<ToolCall> =>
  blocks
    .map(fieldsOf)
    .filter((block) => block?.["type"] === "tool_use")
    .map((block, at) => {
      const given = block?.["input"]
      const raw = typeof given === "string" ? given : JSON.stringify(given ?? {})
      return { id: textOf(block?.["id"]) || `call_${at}`, name: textOf(block?.["name"]), input: jsonOf(raw), raw }
    })

/** `POST <url>/messages`, with the key in `x-api-key`. */
export const anthropicMessages: WireDialect = {
  path: "/messages",
  headers: (key) => ({ "anthropic-version": "2023-06-01", ...(key === null ? {} : { "x-api-key": key }) }),
  body: (model, ask) => ({
    model,
    max_tokens: ask.maxOutput,
    stream: false,
    system: [{ type: "text", text: ask.system, ...cacheMark }],
    messages: messagesOf(ask.parts),
    ...toolsOf(ask)
  }),
  answer: (body) => {
    const content = fieldsOf(body)?.["content"]
    if (!Array.isArray(content)) return null
    const calls = callsOf(content)
    const usage = fieldsOf(fieldsOf(body)?.["usage"])
    return {
      text: textOfBlocks(content),
      calls,
      stop: stopOf(fieldsOf(body)?.["stop_reason"], calls.length),
      usage: usageOf({
        input: usage?.["input_tokens"],
        cacheRead: usage?.["cache_read_input_tokens"],
        cacheWrite: usage?.["cache_creation_input_tokens"],
        output: usage?.["output_tokens"],
        inputHoldsCached: false
      })
    }
  }
}
