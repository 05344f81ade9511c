/** Sends a request's body to a process as it comes, and gives up on a visitor who sends too slowly. */
import { LocalLimits } from "../../LocalLimits.ts"
import type { AppConnection } from "./AppConnection.ts"
import type { VisitorWait } from "./VisitorWait.ts"

const nothing = (): void => undefined

/** Waits for room in the connection, and for the visitor; `run` may be called once. */
export class Upload {
  /** Whether the whole body was sent. */
  done = false
  private readonly connection: AppConnection
  private readonly body: AsyncIterable<Uint8Array>
  private readonly length: number | undefined
  private readonly wait: VisitorWait
  private stopped = false
  private wake: () => void = nothing
  private sent = 0

  /** `length`: of the body, where it is known; else it goes in chunks. `wait` is told when the visitor is waited for. */
  constructor(
    connection: AppConnection,
    body: AsyncIterable<Uint8Array>,
    length: number | undefined,
    wait: VisitorWait
  ) {
    this.wait = wait
    this.connection = connection
    this.body = body
    this.length = length
  }

  /** Sends it all. `stallMs`: the time in which it must bring `LocalLimits.appStallBytes`. `failed` is told why it cannot be, once. */
  run(stallMs: number, failed: (reason: string) => void): void {
    let before = 0
    // What a visitor sends within this time must be worth the process that waits for it.
    const slow = setInterval(() => {
      if (this.sent - before < LocalLimits.appStallBytes && this.wake === nothing)
        this.fail(failed, "the request's body came too slowly")
      before = this.sent
    }, stallMs)
    this.send()
      .then(
        () => (this.done = !this.stopped),
        () => this.fail(failed, "the request's body broke off")
      )
      .finally(() => clearInterval(slow))
  }

  /** There is room in the connection. */
  drained(): void {
    this.wake()
  }

  /** The exchange is over: what has not been sent is left with the visitor. */
  stop(): void {
    this.stopped = true
    this.wake()
  }

  private fail(failed: (reason: string) => void, reason: string): void {
    if (this.stopped) return
    this.stopped = true
    failed(reason)
  }

  private async send(): Promise<void> {
    const iterator = this.body[Symbol.asyncIterator]()
    for (;;) {
      this.wait.begin()
      const next = await iterator.next()
      this.wait.end()
      if (this.stopped) return void iterator.return?.().catch(nothing)
      if (next.done === true) break
      this.sent += next.value.length
      // What is left over would be read as another request.
      if (this.length !== undefined && this.sent > this.length) throw new Error("longer than it said")
      if (next.value.length > 0) await this.write(next.value)
    }
    if (this.length === undefined) this.connection.write("0\r\n\r\n")
    else if (this.sent !== this.length) throw new Error("shorter than it said")
  }

  private async write(bytes: Uint8Array): Promise<void> {
    if (this.length === undefined) this.connection.write(`${bytes.length.toString(16)}\r\n`)
    let room = this.connection.write(bytes)
    if (this.length === undefined) room = this.connection.write("\r\n")
    if (room) return
    await new Promise<void>((resolve) => (this.wake = resolve))
    this.wake = nothing
  }
}
