/**
 * A model that does what the demo's script says: a real HTTP server on loopback that speaks the wire form of chat
 * completions, so that the demo needs no provider and no key. It never thinks; everything else is real.
 */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"

/** A call of a tool, as the model makes it. */
export interface ScriptedCall {
  readonly name: string
  readonly input: unknown
}

/** One answer: what it calls, and how many tokens it is said to have taken. */
export interface Reply {
  readonly calls: ReadonlyArray<ScriptedCall>
  readonly outputTokens?: number
}

/** What is asked: the title of an agent's Task, null for a plan; and how many answers there were before. */
export interface Asked {
  readonly task: string | null
  readonly turn: number
}

/** What the model does. */
export type Script = (asked: Asked) => Reply

/** A model that runs. */
export interface ScriptedModel {
  /** Without the path of a call. */
  readonly url: string
  /** What it does from now on. */
  readonly follow: (script: Script) => void
  readonly close: () => void
}

interface Body {
  readonly model: string
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string | null }>
}

const bodyOf = async (request: IncomingMessage): Promise<Body> => {
  const pieces: Array<Buffer> = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return JSON.parse(Buffer.concat(pieces).toString("utf8")) as Body
}

const askedBy = ({ messages }: Body): Asked => {
  const first = messages.find(({ role }) => role === "user")?.content ?? ""
  return {
    task: /^Your Task: (.*)$/m.exec(first)?.[1] ?? null,
    turn: messages.filter(({ role }) => role === "assistant").length
  }
}

const completion = (model: string, { calls, outputTokens = 50 }: Reply): unknown => ({
  id: "chatcmpl-demo",
  object: "chat.completion",
  created: 0,
  model,
  choices: [
    {
      index: 0,
      finish_reason: "tool_calls",
      message: {
        role: "assistant",
        content: null,
        tool_calls: calls.map(({ input, name }, at) => ({
          id: `call_${at}`,
          type: "function",
          function: { name, arguments: JSON.stringify(input) }
        }))
      }
    }
  ],
  usage: { prompt_tokens: 500, completion_tokens: outputTokens, total_tokens: 500 + outputTokens }
})

/** Begins to listen on a free port of loopback. Until it is told what to do it gives up every Task. */
export const open = async (): Promise<ScriptedModel> => {
  let script: Script = () => ({ calls: [{ name: "give_up", input: { reason: "the demo has no script for this" } }] })
  const server = createServer((request, response) => {
    bodyOf(request).then(
      (body) => {
        response.writeHead(200, { "content-type": "application/json" })
        response.end(JSON.stringify(completion(body.model, script(askedBy(body)))))
      },
      () => response.writeHead(400).end()
    )
  })
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    follow: (next) => {
      script = next
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
