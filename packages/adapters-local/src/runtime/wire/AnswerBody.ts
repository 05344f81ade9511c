/**
 * The body of an answer on its way to a visitor, kept up to a bound, so that a slow visitor does not hold the app's process.
 */
import { LocalLimits } from "../../LocalLimits.ts"

/** What the bodies of all answers of a runtime keep at this moment. */
export class BodyRoom {
  bytes = 0

  /** How much one body may keep: much while there is room, little when many are slow at once. */
  get most(): number {
    return this.bytes < LocalLimits.appBodiesBytes ? LocalLimits.appBodyBytes : LocalLimits.appHeldBodyBytes
  }
}

/** Who fills the body is told of its reader. */
export interface AnswerBodyEvents {
  /** There is room again after `push` said that there is none. */
  readonly room: () => void
  /** The visitor has left. */
  readonly left: () => void
}

interface Reader {
  readonly give: (result: IteratorResult<Uint8Array>) => void
  readonly fail: (reason: unknown) => void
}

/** To be read once. Reading rejects with the reason given to `fail`; leaving early is `destroy`. */
export class AnswerBody implements AsyncIterable<Uint8Array> {
  private readonly room: BodyRoom
  private readonly events: AnswerBodyEvents
  private readonly chunks: Array<Uint8Array> = []
  private size = 0
  private full = false
  private reader: Reader | null = null
  private state: "open" | "ended" | "failed" | "left" = "open"
  private reason: unknown

  constructor(room: BodyRoom, events: AnswerBodyEvents) {
    this.room = room
    this.events = events
  }

  /** Takes a piece. False when no more should come until `room`. */
  push(bytes: Uint8Array): boolean {
    if (this.state !== "open") return true
    if (this.reader !== null) {
      const { reader } = this
      this.reader = null
      reader.give({ done: false, value: bytes })
      return true
    }
    this.chunks.push(bytes)
    this.size += bytes.length
    this.room.bytes += bytes.length
    this.full = this.size >= this.room.most
    return !this.full
  }

  end(): void {
    if (this.state !== "open") return
    this.state = "ended"
    this.reader?.give({ done: true, value: undefined })
    this.reader = null
  }

  /** Breaks the body off: the visitor must not take it for a whole one. What is kept is dropped. */
  fail(reason: unknown): void {
    if (this.state !== "open") return
    this.state = "failed"
    this.reason = reason
    this.drop()
    this.reader?.fail(reason)
    this.reader = null
  }

  /** The visitor left. */
  destroy(): void {
    if (this.state === "left" || this.state === "failed") return
    const wasOpen = this.state === "open"
    this.state = "left"
    this.drop()
    this.reader?.give({ done: true, value: undefined })
    this.reader = null
    if (wasOpen) this.events.left()
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: () => this.next(),
      return: () => {
        this.destroy()
        return Promise.resolve({ done: true, value: undefined })
      }
    }
  }

  private next(): Promise<IteratorResult<Uint8Array>> {
    const value = this.chunks.shift()
    if (value !== undefined) {
      this.taken(value.length)
      return Promise.resolve({ done: false, value })
    }
    if (this.state === "failed") return Promise.reject(this.reason)
    if (this.state !== "open") return Promise.resolve({ done: true, value: undefined })
    return new Promise((give, fail) => (this.reader = { give, fail }))
  }

  private taken(bytes: number): void {
    this.size -= bytes
    this.room.bytes -= bytes
    if (!this.full || this.size > this.room.most / 2) return
    this.full = false
    if (this.state === "open") this.events.room()
  }

  private drop(): void {
    this.chunks.length = 0
    this.room.bytes -= this.size
    this.size = 0
  }
}
