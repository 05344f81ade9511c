/**
 * The one pipe for stdout and stderr. Node's own stdio are sockets, on which `echo x > /dev/stderr` fails; a named
 * pipe, unlinked as soon as both ends are open, works for every tool.
 */
import { execFileSync } from "node:child_process"
import { constants, openSync, unlinkSync } from "node:fs"
import { Socket } from "node:net"
import { join } from "node:path"
import { LocalLimits } from "../LocalLimits.ts"

const batch = 64
/** How long reading rests after each read, once the output is full: a flood must not fill our event loop. */
const restMs = 1
const firstBytes = 64 * 1024

/** A pipe of which we hold the end that reads. */
export interface OutputPipe {
  /** Its name, for who opens the other end. */
  readonly path: string
  readonly readEnd: number
  /** Once both ends are open, or none will be. */
  readonly forget: () => void
}

/** Makes pipes in `folder`, many names per spawn of mkfifo. */
export const makeOutputPipes = (folder: string): (() => OutputPipe) => {
  const ready: Array<string> = []
  let made = 0
  return () => {
    if (ready.length === 0) {
      const names = Array.from({ length: batch }, () => join(folder, `pipe-${made++}`))
      execFileSync("mkfifo", ["-m", "666", ...names], { env: { PATH: "/usr/bin:/bin" } })
      ready.push(...names)
    }
    const path = ready.pop() ?? folder
    const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    return { path, readEnd, forget: () => unlinkSync(path) }
  }
}

/** What has come through a pipe so far; `truncated` when more came than was kept. */
export interface Output {
  readonly bytes: () => Uint8Array
  readonly truncated: () => boolean
  /** Resolves when no process holds the pipe any more. */
  readonly ended: Promise<void>
  readonly close: () => void
}

/**
 * Keeps the first `limitBytes`, then reads on and forgets: the writer is slowed, never stopped. Somebody has the other end
 * open: of a pipe that nobody writes to yet, this is the end.
 */
export const readOutput = (readEnd: number, limitBytes: number): Output => {
  let kept = Buffer.allocUnsafe(Math.min(limitBytes, firstBytes))
  let length = 0
  let truncated = false
  const keep = (chunk: Buffer) => {
    const fitting = chunk.subarray(0, limitBytes - length)
    if (length + fitting.length > kept.length) {
      const grown = Buffer.allocUnsafe(Math.min(limitBytes, Math.max(2 * kept.length, length + fitting.length)))
      kept.copy(grown, 0, 0, length)
      kept = grown
    }
    length += fitting.copy(kept, length)
    return fitting.length === chunk.length
  }
  const socket = new Socket({ fd: readEnd, readable: true, writable: false })
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  socket.on("error", () => socket.destroy())
  socket.on("end", () => socket.destroy())
  socket.on("data", (chunk: Buffer) => {
    if (keep(chunk)) return
    truncated = true
    socket.pause()
    setTimeout(() => socket.resume(), restMs)
  })
  return {
    bytes: () => Uint8Array.prototype.slice.call(kept, 0, length),
    truncated: () => truncated,
    ended,
    close: () => socket.destroy()
  }
}

/** The first bytes of a stream that only diagnosis reads. */
export const readBrief = (stream: NodeJS.ReadableStream | null): (() => string) => {
  let text = ""
  stream?.on("data", (chunk: Buffer) => {
    if (text.length < LocalLimits.sandboxDiagnosisBytes) text += chunk.toString("utf8")
  })
  stream?.on("error", () => undefined)
  return () => text.slice(0, LocalLimits.sandboxDiagnosisBytes).trim()
}
