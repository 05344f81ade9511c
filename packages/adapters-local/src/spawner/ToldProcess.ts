/** A program of ours in a process of its own, whoever forks it, which talks with us over descriptor 3. */
import { spawn } from "node:child_process"
import { EventEmitter } from "node:events"
import { Duplex, type Readable } from "node:stream"
import type { Exit } from "./Child.ts"
import { hearFrames, lineDescriptor, sendFrame } from "./Frames.ts"
import type { Spawner } from "./Spawner.ts"

/** How a process ended. `lost`: with who forked it, which says nothing of it. */
export type ToldExit = Exit & { readonly lost: boolean }

interface Started {
  readonly pid: number
  readonly stderr: Readable
  readonly line: Duplex
  readonly ended: Promise<ToldExit>
  readonly closed: Promise<unknown>
}

/** Starts a command line with nothing of our environment, in a process group of its own. */
export type ToldStarter = (argv: ReadonlyArray<string>) => Promise<Started>

const env = { LC_ALL: "C.UTF-8" }

/** A fork of this very process, which stands still meanwhile. */
export const toldHere: ToldStarter = ([file = "", ...args]) =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: "/", env, detached: true, stdio: ["ignore", "ignore", "pipe", "pipe"] })
    child.on("error", reject)
    const { pid, stderr } = child
    if (pid === undefined) return
    const line: unknown = child.stdio[lineDescriptor]
    if (stderr === null || !(line instanceof Duplex)) return reject(new Error("it was started without its line"))
    resolve({
      pid,
      stderr,
      line,
      ended: new Promise((tell) => child.once("exit", (code, signal) => tell({ code, signal, lost: false }))),
      closed: new Promise((tell) => child.once("close", tell))
    })
  })

/** By way of a spawner, whose forks are short. */
export const toldBySpawner =
  (open: () => Promise<Spawner>): ToldStarter =>
  async ([file = "", ...args]) => {
    const streams = lineDescriptor + 1
    const child = await (
      await open()
    ).start({ file, args, cwd: "/", env, streams, output: "/dev/null", ownGroup: true })
    const [stdin, , stderr, line] = child.streams
    if (stderr === undefined || line === undefined) throw new Error("it was started without its line")
    stdin?.end()
    return { pid: child.pid, stderr, line, ended: child.ended, closed: child.closed }
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
  ended: ToldExit | null = null
  stderr = ""
  #line: Duplex | null = null
  #isUnwanted = false
  #isClosed = false

  constructor(starting: Promise<Started>, maxBytes: number) {
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
    if (this.ended === null && this.#line?.writable === true) sendFrame(this.#line, message)
  }

  /** SIGKILL, to it and whatever it began. Nothing happens where all of that has ended. */
  kill(): void {
    this.#isUnwanted = true
    if (this.pid === null || this.#isClosed) return
    try {
      process.kill(-this.pid, "SIGKILL")
    } catch {
      // It has ended already.
    }
  }

  #run({ closed, ended, line, pid, stderr }: Started, maxBytes: number): void {
    this.pid = pid
    this.#line = line
    line.on("error", () => undefined)
    stderr.setEncoding("utf8").on("data", (text: string) => {
      if (this.stderr.length < stderrKept) this.stderr += text.slice(0, stderrKept - this.stderr.length)
    })
    hearFrames(
      line,
      maxBytes,
      (message) => this.emit("message", message),
      () => this.kill()
    )
    void ended.then((exit) => this.#end(exit))
    void closed.then(() => {
      this.#isClosed = true
      this.emit("close")
    })
    if (this.#isUnwanted) this.kill()
  }

  #end(exit: ToldExit): void {
    this.ended = exit
    this.emit("exit")
  }
}
