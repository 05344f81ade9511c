/**
 * Reads the answers of one process from its connection: HTTP/1.1 as workerd writes it (RFC 9112). Anything else is
 * malformed, and the connection is given up.
 */
import type { Headers } from "@pawl/core/app/AppRuntime"
import { LocalLimits } from "../../LocalLimits.ts"

/** Header names are in lower case, in the order in which they came. */
export interface AnswerHead {
  readonly status: number
  readonly headers: Headers
  /** Bytes of the body; null when it is known only at its end. */
  readonly length: number | null
}

/** What is read of an answer, in its order. */
export interface AnswerEvents {
  readonly head: (head: AnswerHead) => void
  readonly data: (bytes: Buffer) => void
  /** The whole answer was read. */
  readonly end: () => void
}

/** Thrown where an answer is not as workerd writes one. */
export class MalformedAnswer extends Error {}

type State = "idle" | "head" | "fixed" | "size" | "chunk" | "chunk-end" | "trailer"

const digits = /^\d{1,15}$/
const hexDigits = /^[0-9a-f]{1,8}$/i
const none = Buffer.alloc(0)

interface ReadHead {
  readonly head: AnswerHead
  readonly chunked: boolean
  /** Whether the process says that it closes the connection after this answer. */
  readonly closes: boolean
}

/** Reads a head. Throws `MalformedAnswer`. */
const read = (text: string): ReadHead => {
  const [first = "", ...lines] = text.split("\r\n")
  const status = Number(first.slice(9, 12))
  if (!first.startsWith("HTTP/1.1 ") || !(status >= 200 && status <= 599))
    throw new MalformedAnswer("a bad status line")
  const headers: Array<readonly [string, string]> = []
  let length: number | null = null
  let chunked = false
  let closes = false
  for (const line of lines) {
    const colon = line.indexOf(":")
    if (colon < 1) throw new MalformedAnswer("a bad header")
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    if (name === "content-length") {
      if (length !== null || !digits.test(value)) throw new MalformedAnswer("a bad length")
      length = Number(value)
    } else if (name === "transfer-encoding") {
      if (chunked || value.toLowerCase() !== "chunked") throw new MalformedAnswer("a bad transfer coding")
      chunked = true
    } else if (name === "connection" && value.toLowerCase() === "close") closes = true
    headers.push([name, value])
  }
  return { head: { status, headers, length }, chunked, closes }
}

/** Reads the answers of one connection: `begin` before each, then `feed` what comes; it calls `events` meanwhile. */
export class AnswerParser {
  private readonly events: AnswerEvents
  private state: State = "idle"
  private rest: Buffer = none
  private left = 0
  private bodiless = false
  /** The head before, and what was read of it: an app's answers often begin with the same one, byte for byte. */
  private lastText = ""
  private last: ReadHead | null = null
  /** Whether the process said that it closes the connection after this answer. */
  closes = false

  constructor(events: AnswerEvents) {
    this.events = events
  }

  /** Whether no answer is under way. */
  get idle(): boolean {
    return this.state === "idle"
  }

  /** Expects an answer. `bodiless`: to HEAD, so that its length says nothing of a body. */
  begin(bodiless: boolean): void {
    this.state = "head"
    this.bodiless = bodiless
    this.rest = none
  }

  /** Takes what came. Throws `MalformedAnswer`, after which the connection is of no use. */
  feed(bytes: Buffer): void {
    let at = 0
    const input = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes])
    this.rest = none
    while (at < input.length) {
      if (this.state === "idle") throw new MalformedAnswer("bytes after the end of an answer")
      const next = this.step(input, at)
      if (next < 0) {
        this.rest = input.subarray(at)
        return
      }
      at = next
    }
  }

  /** Takes what can be taken at `at`, and says where it ends; -1 when more is needed. */
  private step(input: Buffer, at: number): number {
    switch (this.state) {
      case "head":
        return this.head(input, at)
      case "fixed":
      case "chunk":
        return this.body(input, at)
      case "size":
        return this.line(input, at, (line) => this.size(line))
      case "chunk-end":
        return this.line(input, at, (line) => {
          if (line !== "") throw new MalformedAnswer("a chunk is longer than its size")
          this.state = "size"
        })
      case "trailer":
        return this.line(input, at, (line) => {
          if (line === "") this.finish()
        })
      case "idle":
        return at
    }
  }

  private head(input: Buffer, at: number): number {
    const end = input.indexOf("\r\n\r\n", at, "latin1")
    if (end < 0) {
      if (input.length - at > LocalLimits.appHeaderBytes) throw new MalformedAnswer("the head is too long")
      return -1
    }
    if (end - at > LocalLimits.appHeaderBytes) throw new MalformedAnswer("the head is too long")
    this.begun(input.toString("latin1", at, end))
    return end + 4
  }

  private begun(text: string): void {
    this.closes = false
    if (text !== this.lastText || this.last === null) this.last = read(text)
    this.lastText = text
    const { chunked, closes, head } = this.last
    this.closes = closes
    const empty = this.bodiless || head.status === 204 || head.status === 304
    if (!empty && chunked === (head.length !== null)) throw new MalformedAnswer("an answer without one clear length")
    this.left = head.length ?? 0
    this.state = empty || chunked ? "size" : "fixed"
    this.events.head(head)
    if (empty || (!chunked && this.left === 0)) this.finish()
  }

  private body(input: Buffer, at: number): number {
    const end = Math.min(input.length, at + this.left)
    this.left -= end - at
    this.events.data(input.subarray(at, end))
    if (this.left === 0) {
      if (this.state === "chunk") this.state = "chunk-end"
      else this.finish()
    }
    return end
  }

  private size(line: string): void {
    // workerd writes no chunk extensions.
    if (!hexDigits.test(line)) throw new MalformedAnswer("a bad size of a chunk")
    this.left = parseInt(line, 16)
    this.state = this.left === 0 ? "trailer" : "chunk"
  }

  private line(input: Buffer, at: number, take: (line: string) => void): number {
    const end = input.indexOf("\r\n", at, "latin1")
    if (end < 0 ? input.length - at > LocalLimits.appAnswerLineBytes : end - at > LocalLimits.appAnswerLineBytes)
      throw new MalformedAnswer("a line is too long")
    if (end < 0) return -1
    take(input.toString("latin1", at, end))
    return end + 2
  }

  private finish(): void {
    this.state = "idle"
    this.events.end()
  }
}
