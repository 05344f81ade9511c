/**
 * One request over Node's own HTTP, and its answer. `fetch` brings a parser that each process compiles anew: that takes a
 * verb longer than the question itself.
 */
import type { IncomingMessage, RequestOptions } from "node:http"
import { ServerLimits } from "../../../ServerLimits.ts"

/** What was answered. Nothing is followed: a token is for the server that was named, and for no other one that it sends to. */
export interface HttpAnswer {
  readonly status: number
  /** Whether the status is one of 200 to 299. */
  readonly ok: boolean
  /** The body as it comes. Whoever reads no further ends the connection. */
  readonly body: AsyncIterable<Uint8Array>
  /** All of the body. */
  readonly text: () => Promise<string>
}

/** What a request says beside its address. */
export interface HttpQuestion {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

const textOf = async (message: IncomingMessage): Promise<string> => {
  const pieces: Array<Buffer> = []
  for await (const piece of message) pieces.push(piece)
  // Without the mark that some servers begin with, as `fetch` reads it.
  return new TextDecoder().decode(Buffer.concat(pieces))
}

const answerOf = (message: IncomingMessage): HttpAnswer => {
  const status = message.statusCode ?? 0
  return { status, ok: status >= 200 && status < 300, body: message, text: () => textOf(message) }
}

/** Asks, and answers when the head of the answer is there. Fails as Node says it, and after a long silence. */
export const askHttp = (address: string, { body, headers, method }: HttpQuestion): Promise<HttpAnswer> => {
  const url = new URL(address)
  // What a verb does not need is not loaded: TLS takes its time. And `import` would look at all that is in node:http, which
  // loads what `fetch` and WebSocket need.
  const { request } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http")
  return new Promise((resolve, reject) => {
    const options: RequestOptions = { method, headers, timeout: ServerLimits.verbSilenceMs }
    const asked = request(url, options, (message) => resolve(answerOf(message)))
    asked.once("timeout", () => asked.destroy(new Error("it says nothing")))
    asked.on("error", reject)
    asked.end(body)
  })
}
