/** One process that the spawner has started, as the server sees it. */
import type { Socket } from "node:net"
import { beginningOf } from "../ProcessBeginning.ts"
import { killGroup } from "../ProcessGroup.ts"
import type { Ended, StartedProcess } from "./Starter.ts"

/** Who is asked to end a process. `group`: its number is that of a group of its own, which any of ours may end. */
export interface Ending {
  readonly demandKill: () => void
  readonly ownGroup: boolean
}

/** `alive` until its end was told. */
export class SpawnedProcess implements StartedProcess {
  readonly pid: number
  readonly streams: ReadonlyArray<Socket | undefined>
  readonly ended: Promise<Ended>
  readonly closed: Promise<void>
  alive = true
  private isClosed = false
  private readonly began: string | null
  private readonly ending: Ending
  private settle: (ended: Ended) => void = () => undefined

  constructor(pid: number, streams: ReadonlyArray<Socket | undefined>, ending: Ending) {
    this.pid = pid
    this.streams = streams
    this.ending = ending
    this.began = beginningOf(pid)
    this.ended = new Promise((resolve) => (this.settle = resolve))
    // One that nothing was written to may have closed already, with a process that has just ended.
    const closing = streams.map(
      (stream) => stream === undefined || stream.closed || new Promise((resolve) => stream.once("close", resolve))
    )
    this.closed = Promise.all([this.ended, ...closing]).then(() => void (this.isClosed = true))
  }

  readonly isThere = (): boolean => this.alive && this.hasItsNumber()

  /** Of a group what the process began may outlive it: who forked it knows of the process alone. */
  readonly kill = (): void => {
    if (this.ending.ownGroup && !this.isClosed) killGroup(this.pid)
    else if (this.alive) this.ending.demandKill()
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
    if (!this.hasItsNumber()) return
    if (this.ending.ownGroup) return killGroup(this.pid)
    try {
      process.kill(this.pid, "SIGKILL")
    } catch {
      // It ended by itself.
    }
  }

  private hasItsNumber(): boolean {
    return this.began !== null && beginningOf(this.pid) === this.began
  }
}
