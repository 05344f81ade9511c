/** One process that the spawner has started, as the server sees it. */
import type { Socket } from "node:net"
import { beginningOf } from "../ProcessBeginning.ts"

/** How a process ended. `lost`: the spawner ended first, and took the process with it. */
export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly lost: boolean
}

/**
 * Its streams stand in the order of its descriptors: the first is to be written, the others must be read to their end. There
 * is none where it was given a named pipe.
 */
export class SpawnedProcess {
  readonly pid: number
  readonly streams: ReadonlyArray<Socket | undefined>
  readonly ended: Promise<Ended>
  /** After its end, when all that it wrote was read and nobody holds a stream of it any more. */
  readonly closed: Promise<void>
  alive = true
  private readonly began: string | null
  private readonly demandKill: () => void
  private settle: (ended: Ended) => void = () => undefined

  constructor(pid: number, streams: ReadonlyArray<Socket | undefined>, demandKill: () => void) {
    this.pid = pid
    this.streams = streams
    this.demandKill = demandKill
    this.began = beginningOf(pid)
    this.ended = new Promise((resolve) => (this.settle = resolve))
    // One that nothing was written to may have closed already, with a process that has just ended.
    const closing = streams.map(
      (stream) => stream === undefined || stream.closed || new Promise((resolve) => stream.once("close", resolve))
    )
    this.closed = Promise.all([this.ended, ...closing]).then(() => undefined)
  }

  /** Whether its number is still its own, as far as can be told. */
  isThere(): boolean {
    return this.alive && this.began !== null && beginningOf(this.pid) === this.began
  }

  /** Sends SIGKILL, as long as it lives. */
  kill(): void {
    if (this.alive) this.demandKill()
  }

  /** For the spawner alone: the process has ended. */
  end(ended: Ended): void {
    if (!this.alive) return
    this.alive = false
    if (ended.lost) this.killOrphan()
    // What is written to it has no reader; what it wrote may still be read.
    this.streams[0]?.destroy()
    this.settle(ended)
  }

  /** Most die with the spawner; where the machine has no `setpriv`, they do not. */
  private killOrphan(): void {
    if (this.began === null || beginningOf(this.pid) !== this.began) return
    try {
      process.kill(this.pid, "SIGKILL")
    } catch {
      // It ended by itself.
    }
  }
}
