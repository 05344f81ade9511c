/**
 * The messages of Postgres's protocol (3.0) that a pipeline sends, written one after the other into one buffer: a socket
 * that is given one buffer costs a third of one that is given a dozen.
 */
import { PgLimits } from "./PgLimits.ts"

let free = Buffer.allocUnsafe(PgLimits.wireFirstBytes)

/** One message to the server, made of several; `bytes` gives it, and the object is then done with. */
export class Wire {
  #buffer = free
  #at = 0

  constructor() {
    // Only one is written at a time, but should that ever change, none gets the buffer of another.
    free = Buffer.allocUnsafe(0)
    if (this.#buffer.length === 0) this.#buffer = Buffer.allocUnsafe(PgLimits.wireFirstBytes)
  }

  close(name: string): void {
    this.#message("C", () => {
      this.#byte("S")
      this.#text(name)
    })
  }

  parse(name: string, text: string): void {
    this.#message("P", () => {
      this.#text(name)
      this.#text(text)
      this.#int16(0)
    })
  }

  describe(name: string): void {
    this.#message("D", () => {
      this.#byte("S")
      this.#text(name)
    })
  }

  /** Parameters and results in text form. */
  bind(name: string, params: ReadonlyArray<string | null>): void {
    this.#message("B", () => {
      this.#text("")
      this.#text(name)
      this.#int16(0)
      this.#int16(params.length)
      for (const value of params) {
        if (value === null) this.#int32(-1)
        else this.#counted(value)
      }
      this.#int16(0)
    })
  }

  /** All rows. */
  execute(): void {
    this.#message("E", () => {
      this.#text("")
      this.#int32(0)
    })
  }

  sync(): void {
    this.#message("S", () => undefined)
  }

  /** What was written. It is a copy: the socket keeps it until it is sent. */
  bytes(): Buffer {
    const bytes = Buffer.from(this.#buffer.subarray(0, this.#at))
    if (this.#buffer.length <= PgLimits.wireKeptBytes) free = this.#buffer
    return bytes
  }

  #message(type: string, body: () => void): void {
    this.#byte(type)
    const start = this.#at
    this.#int32(0)
    body()
    this.#buffer.writeInt32BE(this.#at - start, start)
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#at + bytes))
    this.#buffer.copy(larger, 0, 0, this.#at)
    this.#buffer = larger
  }

  #byte(character: string): void {
    this.#room(1)
    this.#buffer[this.#at++] = character.charCodeAt(0)
  }

  #int16(value: number): void {
    this.#room(2)
    this.#at = this.#buffer.writeUInt16BE(value, this.#at)
  }

  #int32(value: number): void {
    this.#room(4)
    this.#at = this.#buffer.writeInt32BE(value, this.#at)
  }

  #text(value: string): void {
    this.#room(value.length * 3 + 1)
    this.#at += this.#buffer.write(value, this.#at, "utf8")
    this.#buffer[this.#at++] = 0
  }

  #counted(value: string): void {
    this.#room(value.length * 3 + 4)
    const bytes = this.#buffer.write(value, this.#at + 4, "utf8")
    this.#buffer.writeInt32BE(bytes, this.#at)
    this.#at += bytes + 4
  }
}
