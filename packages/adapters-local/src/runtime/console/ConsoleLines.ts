/**
 * What workerd writes to its standard output, with structured logging: one JSON object a line. An app's console gives
 * `{"timestamp":<number>,"level":…,"message":…}`; workerd's own messages have a text as timestamp and name their source.
 * All that an app prints stands escaped within a message, so that it can make neither a line nor a source.
 */
import type { LogLevel } from "@pawl/core/app/AppLogs"
import { Limits } from "@pawl/core/primitives/Limits"

/** One message of an app's console. */
export interface Printed {
  readonly level: LogLevel
  readonly text: string
  /** How long the whole message was, in bytes as workerd wrote it, when `text` is a part of it; else 0. */
  readonly wholeBytes: number
}

/** Who is told of what a process prints. */
export interface LineEvents {
  /** Whether a line of the console of so many bytes is taken. One that is not is never decoded. */
  readonly takes: (bytes: number) => boolean
  readonly printed: (line: Printed) => void
  /** Something was thrown that nobody caught: what it says, and the stack in the app's own source. */
  readonly threw: (text: string) => void
}

const newline = 10
/** One byte of a text is at most six in JSON. */
const keptBytes = 6 * Limits.appLogLineBytes + 256
const ownMessage = Buffer.from('{"timestamp":"')
const head = /^\{"timestamp":\d+,"level":"(debug|log|info|warn|error)","message":"/

/** The beginning of a JSON string's inside, up to where an escape may have been cut. */
const decodeBeginning = (inside: string): string => {
  const whole = inside.replace(/\\(u[0-9a-fA-F]{0,3})?$/, "")
  // An odd number of backslashes at the end is an escape without its letter.
  let slashes = 0
  while (whole[whole.length - 1 - slashes] === "\\") slashes += 1
  try {
    return String(JSON.parse(`"${slashes % 2 === 0 ? whole : whole.slice(0, -1)}"`))
  } catch {
    return ""
  }
}

const printedOf = (text: string, bytes: number): Printed | null => {
  const found = head.exec(text)
  if (found === null) return null
  const level = found[1] as LogLevel
  if (bytes > keptBytes) return { level, text: decodeBeginning(text.slice(found[0].length)), wholeBytes: bytes }
  try {
    const { message } = JSON.parse(text) as { readonly message: unknown }
    return typeof message === "string" ? { level, text: message, wholeBytes: 0 } : null
  } catch {
    return null
  }
}

const fromScript = /^uncaught exception; source = [^;]*; (?:stack|exception) = ([^]*)$/
const fromContext = /^uncaught exception; exception = (?:\S+:\d+: failed: )?(?:remote\.)*jsg\.([^]*)$/

/** Reads one process's output. Each chunk is taken at once: the process never waits for its reader. */
export class ConsoleLines {
  private readonly events: LineEvents
  private parts: Array<Buffer> = []
  private bytes = 0
  /** The same error is told twice: by the script with its stack, then by the context around it. */
  private toldByScript = false

  constructor(events: LineEvents) {
    this.events = events
  }

  feed(chunk: Buffer): void {
    let from = 0
    for (let to = chunk.indexOf(newline); to >= 0; to = chunk.indexOf(newline, from)) {
      this.keep(chunk, from, to)
      this.line()
      from = to + 1
    }
    this.keep(chunk, from, chunk.length)
  }

  private keep(chunk: Buffer, from: number, to: number): void {
    if (to === from) return
    const room = keptBytes - this.bytes
    // A copy: a part of a chunk would keep all of it.
    if (room > 0) this.parts.push(Buffer.from(chunk.subarray(from, Math.min(to, from + room))))
    this.bytes += to - from
  }

  private line(): void {
    const line = this.parts.length === 1 ? this.parts[0]! : Buffer.concat(this.parts)
    const bytes = this.bytes
    this.parts = []
    this.bytes = 0
    if (line.subarray(0, ownMessage.length).equals(ownMessage)) return this.own(line.toString("utf8"))
    if (line[0] !== 0x7b || !this.events.takes(Math.min(bytes, Limits.appLogLineBytes))) return
    const printed = printedOf(line.toString("utf8"), bytes)
    if (printed !== null) this.events.printed(printed)
  }

  private own(text: string): void {
    const source = /"source":"workerd\/io\/(worker|io-context)\.c\+\+:\d+","message":"/.exec(text)
    if (source === null) return
    const inside = text.slice(source.index + source[0].length)
    const message = decodeBeginning(inside.replace(/","context_depth":\d+\}$/, ""))
    if (source[1] === "worker") return this.byScript(fromScript.exec(message)?.[1])
    const told = this.toldByScript
    this.toldByScript = false
    const thrown = fromContext.exec(message)?.[1]
    if (thrown === undefined || told) return
    // The rest is addresses in workerd itself. Without an end it was cut, so it is not known where they begin.
    const end = thrown.lastIndexOf("\nstack: ")
    this.events.threw(end === -1 ? thrown : thrown.slice(0, end))
  }

  private byScript(thrown: string | undefined): void {
    if (thrown === undefined) return
    this.toldByScript = true
    this.events.threw(thrown)
  }
}
