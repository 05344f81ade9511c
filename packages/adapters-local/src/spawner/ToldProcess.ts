/** A program of ours in a process of its own, which talks with us over descriptor 3. */
import { EventEmitter } from "node:events"
import type { Duplex } from "node:stream"
import { hearFrames, lineDescriptor, sendFrame } from "./Frames.ts"
import type { Ended, StartedProcess, Starter } from "./Starter.ts"

/** Starts a command line with nothing of our environment, in a process group of its own. Rejects as the starter does. */
export const startTold = async (
  start: Starter,
  [file = "", ...args]: ReadonlyArray<string>
): Promise<StartedProcess> => {
  const env = { LC_ALL: "C.UTF-8" }
  const streams = lineDescriptor + 1
  const started = await start({ file, args, cwd: "/", env, streams, output: "/dev/null", ownGroup: true })
  started.streams[0]?.end()
  return started
}

/** Kept of what it writes to standard error. */
const stderrKept = 16 * 1024

/**
 * Says `message` for each that it sends, `exit` when it has ended or could not be started, and `close` when all that it
 * wrote was read, too, and no process of its group has its standard error any more.
 */
export class ToldProcess extends EventEmitter<{ message: [message: unknown]; exit: []; close: [] }> {
  pid: number | null = null
  /** Null while it runs, or is being started. */
  ended: Ended | null = null
  stderr = ""
  #started: StartedProcess | null = null
  #isUnwanted = false

  constructor(starting: Promise<StartedProcess>, maxBytes: number) {
    super()
    starting.then(
      (started) => this.#run(started, maxBytes),
      (cause: unknown) => {
        this.stderr = cause instanceof Error ? cause.message : String(cause)
        this.#end({ code: null, signal: null, lost: true })
        this.emit("close")
      }
    )
  }

  /** Sends a message. Nothing happens where it has ended: `close` says so. */
  send(message: unknown): void {
    const line = this.#line
    if (this.ended === null && line?.writable === true) sendFrame(line, message)
  }

  /** SIGKILL, to it and whatever it began. Nothing happens where all of that has ended. */
  kill(): void {
    this.#isUnwanted = true
    this.#started?.kill()
  }

  get #line(): Duplex | undefined {
    return this.#started?.streams[lineDescriptor]
  }

  #run(started: StartedProcess, maxBytes: number): void {
    const { closed, ended, pid, streams } = started
    this.pid = pid
    this.#started = started
    streams[lineDescriptor]?.on("error", () => undefined)
    streams[2]?.setEncoding("utf8").on("data", (text: string) => {
      if (this.stderr.length < stderrKept) this.stderr += text.slice(0, stderrKept - this.stderr.length)
    })
    const heard = (message: unknown) => this.emit("message", message)
    if (this.#line !== undefined) hearFrames(this.#line, maxBytes, heard, () => this.kill())
    void ended.then((exit) => this.#end(exit))
    void closed.then(() => this.emit("close"))
    if (this.#isUnwanted) this.kill()
  }

  #end(exit: Ended): void {
    this.ended = exit
    this.emit("exit")
  }
}
