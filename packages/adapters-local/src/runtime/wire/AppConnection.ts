/** The kept connection to one process: HTTP/1.1 over its socket, one request at a time. */
import { connect, type Socket } from "node:net"
import { LocalLimits } from "../../LocalLimits.ts"
import { type AnswerEvents, AnswerParser } from "./AnswerParser.ts"

/** What becomes of a request. `end` or `broken` is the last that is told. */
export interface Answering extends AnswerEvents {
  /** What had come was read; more may follow. */
  readonly fed: () => void
  /** The connection ended first. `stale`: it had been kept, and nothing of an answer came. */
  readonly broken: (stale: boolean) => void
  /** There is room for more of the request's body. */
  readonly drained: () => void
}

/** The connection to one process. Opens its socket when it is first asked, and again after `destroy`. */
export class AppConnection {
  private readonly path: string
  private readonly parser: AnswerParser
  private socket: Socket | null = null
  private answering: Answering | null = null
  private kept = false
  private keptFromMs = 0
  private heard = false

  constructor(path: string) {
    this.path = path
    this.parser = new AnswerParser({
      head: (head) => this.answering?.head(head),
      data: (bytes) => this.answering?.data(bytes),
      end: () => {
        const { answering } = this
        this.answering = null
        // An answer that was given up is read to its end too, when that had come already.
        this.kept = this.socket !== null
        this.keptFromMs = performance.now()
        answering?.end()
      }
    })
  }

  /** Sends a request's head, and its body when it is at hand. The answer before must have been read, or `destroy` called. */
  ask(head: string, body: Uint8Array | null, bodiless: boolean, answering: Answering): void {
    if (this.parser.closes || (this.kept && performance.now() - this.keptFromMs > LocalLimits.appConnectionKeptMs))
      this.destroy()
    const socket = this.socket ?? this.open()
    this.answering = answering
    this.heard = false
    this.parser.begin(bodiless)
    if (body === null) return void socket.write(head, "latin1")
    socket.cork()
    socket.write(head, "latin1")
    socket.write(body)
    socket.uncork()
  }

  /** A part of the request's body. False when `drained` should be awaited before the next. */
  write(bytes: Uint8Array | string): boolean {
    return this.socket?.write(bytes) ?? true
  }

  pause(): void {
    this.socket?.pause()
  }

  resume(): void {
    this.socket?.resume()
  }

  /** Ends the connection without a word to who asked. The next request opens another. */
  destroy(): void {
    const { socket } = this
    this.socket = null
    this.answering = null
    this.kept = false
    this.parser.closes = false
    socket?.destroy()
  }

  /** The process is gone, which may be known before its socket is closed: whoever waits is told. */
  gone(): void {
    if (this.socket !== null) this.ended(this.socket)
  }

  private open(): Socket {
    const socket = connect(this.path)
    this.socket = socket
    socket.on("data", (bytes: Buffer) => this.feed(socket, bytes))
    socket.on("drain", () => this.socket === socket && this.answering?.drained())
    socket.on("error", () => undefined)
    socket.on("close", () => this.ended(socket))
    return socket
  }

  private feed(socket: Socket, bytes: Buffer): void {
    if (this.socket !== socket) return
    this.heard = true
    const { answering } = this
    try {
      this.parser.feed(bytes)
    } catch {
      // Also what comes behind a whole answer: nobody waits for more, but somebody still waits for that one.
      if (this.socket === socket) this.destroy()
      return answering?.broken(false)
    }
    answering?.fed()
  }

  private ended(socket: Socket): void {
    if (this.socket !== socket) return
    const { answering, heard, kept } = this
    this.destroy()
    answering?.broken(kept && !heard)
  }
}
