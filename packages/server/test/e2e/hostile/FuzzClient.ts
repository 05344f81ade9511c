/** Sends bytes over sockets and reads what comes back: no client in between that would mend a request. */
import { connect, type Socket } from "node:net"
import type { Shape } from "./FuzzRequests.ts"

export interface Answer {
  readonly status: number
  /** Names in lower case; of several only the last. */
  readonly headers: ReadonlyMap<string, string>
  /** Latin-1. Of a stream only what came first. */
  readonly body: string
  /** The server ends the connection with this answer. */
  readonly closes: boolean
}

interface Parsed {
  readonly answer: Answer
  /** How much of the bytes it took. */
  readonly size: number
}

/** The body of a chunked answer, or null when more is to come. */
const chunksOf = (bytes: string, from: number): { readonly body: string; readonly end: number } | null => {
  let body = ""
  let at = from
  for (;;) {
    const line = bytes.indexOf("\r\n", at)
    if (line < 0) return null
    const size = Number.parseInt(bytes.slice(at, line), 16)
    if (bytes.length < line + 2 + size + 2) return null
    body += bytes.slice(line + 2, line + 2 + size)
    at = line + 2 + size + 2
    if (size === 0) return { body, end: at }
  }
}

/** The first final answer in the bytes, or null when more is to come. `ended`: nothing more comes. */
export const parse = (bytes: string, method: string, ended: boolean): Parsed | null => {
  let start = 0
  for (;;) {
    const head = bytes.indexOf("\r\n\r\n", start)
    if (head < 0) return null
    const [line = "", ...fields] = bytes.slice(start, head).split("\r\n")
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1] ?? "0")
    if (status >= 100 && status < 200 && status !== 101) {
      start = head + 4
      continue
    }
    const headers = new Map(
      fields.map((field) => {
        const colon = field.indexOf(":")
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
      })
    )
    const closes = headers.get("connection")?.toLowerCase() === "close"
    const done = (body: string, end: number): Parsed => ({ answer: { status, headers, body, closes }, size: end })
    const from = head + 4
    if (method === "HEAD" || status === 204 || status === 304) return done("", from)
    if (headers.get("content-type")?.startsWith("text/event-stream") === true) return done("", from)
    if (headers.get("transfer-encoding") === "chunked") {
      const chunks = chunksOf(bytes, from)
      return chunks === null ? null : done(chunks.body, chunks.end)
    }
    const length = headers.get("content-length")
    if (length === undefined) return ended ? done(bytes.slice(from), bytes.length) : null
    return bytes.length - from < Number(length)
      ? null
      : done(bytes.slice(from, from + Number(length)), from + Number(length))
  }
}

const isStream = (answer: Answer): boolean =>
  answer.headers.get("content-type")?.startsWith("text/event-stream") === true

/** A broken request may leave the server waiting for the rest of it: after so long without a byte the rest is given up. */
const idleMs = 100

/** A visitor with one connection at a time. */
export class FuzzClient {
  readonly #port: number
  #kept: Socket | null = null

  constructor(port: number) {
    this.#port = port
  }

  /** Sends one request; one that is not whole on a connection of its own. Answers null when the server closed without a word. */
  send(bytes: string, method: string, shape: Shape = "whole"): Promise<Answer | null> {
    const alone = shape !== "whole"
    const kept = alone ? null : this.#kept
    const socket = kept ?? connect(this.#port, "127.0.0.1")
    if (!alone) this.#kept = socket
    return new Promise((resolve) => {
      let received = ""
      const settle = (answer: Answer | null) => {
        socket.removeAllListeners()
        socket.on("error", () => undefined)
        if (alone || answer === null || answer.closes || isStream(answer)) {
          socket.destroy()
          if (this.#kept === socket) this.#kept = null
        }
        resolve(answer)
      }
      socket.on("data", (data: Buffer) => {
        received += data.toString("latin1")
        const parsed = parse(received, method, false)
        if (parsed !== null) settle(parsed.answer)
      })
      socket.on("error", () => undefined)
      socket.on("close", () => settle(parse(received, method, true)?.answer ?? null))
      socket.write(bytes, "latin1")
      if (shape === "cut") socket.end()
      if (shape === "broken") socket.setTimeout(idleMs, () => socket.end())
    })
  }

  close(): void {
    this.#kept?.destroy()
    this.#kept = null
  }
}
