/**
 * The process that reads source maps, kept while it is used: one order at a time, bounded in time and memory. What it
 * could not end in time is killed, and the maps it was given are not read again.
 */
import type { ChildProcess } from "node:child_process"
import { Result, Schema } from "effect"
import { LocalLimits } from "../../LocalLimits.ts"
import { killBounded, ownProgram, startBounded } from "../../OwnProgram.ts"
import type { Place } from "./StackFrames.ts"
import { StackAnswer, type StackOrder } from "./StackMessages.ts"

const program = ownProgram(import.meta.url, "StackProcess")

/** A frame of a module whose map is known by its digest. */
export type MappedFrame = StackOrder["frames"][number]

/** The bytes of a map by its digest; null when they cannot be had. */
export type ReadBytes = (sha256: string) => Promise<Uint8Array | null>

const start = (): ChildProcess =>
  startBounded(program, { dataBytes: LocalLimits.buildMemoryBytes, heapBytes: LocalLimits.stackHeapBytes })

/** One for a runtime. `close` ends its process. */
export class MapReader {
  private child: ChildProcess | null = null
  /** The maps that the process has, with their bytes; the one that was used longest ago first. */
  private readonly known = new Map<string, number>()
  private readonly unread = new Set<string>()
  private turn: Promise<unknown> = Promise.resolve()
  private orders = 0
  private idle: NodeJS.Timeout | null = null
  private closed = false

  /** The places of frames, in their order; null for what is not known. It never rejects. */
  places(frames: ReadonlyArray<MappedFrame>, bytes: ReadBytes): Promise<ReadonlyArray<Place | null>> {
    const answer = this.turn.then(() => this.asked(frames, bytes)).catch(() => frames.map(() => null))
    this.turn = answer
    return answer
  }

  close(): void {
    this.closed = true
    this.stop()
  }

  private stop(): void {
    if (this.idle !== null) clearTimeout(this.idle)
    this.idle = null
    this.known.clear()
    const { child } = this
    this.child = null
    if (child !== null) killBounded(child)
  }

  private begun(): ChildProcess {
    if (this.child !== null) return this.child
    const child = start()
    child.unref()
    child.channel?.unref()
    const gone = () => {
      if (this.child !== child) return
      this.child = null
      this.known.clear()
    }
    child.once("error", gone)
    child.once("exit", gone)
    this.child = child
    return child
  }

  /** What has to be forgotten so that so many more bytes fit. */
  private forgotten(bytes: number): ReadonlyArray<string> {
    const out: Array<string> = []
    let kept = bytes
    for (const size of this.known.values()) kept += size
    for (const [digest, size] of this.known) {
      if (kept <= LocalLimits.stackMapsBytes) break
      this.known.delete(digest)
      kept -= size
      out.push(digest)
    }
    return out
  }

  private async asked(frames: ReadonlyArray<MappedFrame>, bytes: ReadBytes): Promise<ReadonlyArray<Place | null>> {
    const none = frames.map(() => null)
    const wanted = [...new Set(frames.map(({ map }) => map))].filter((digest) => !this.unread.has(digest))
    const maps: Array<readonly [string, Uint8Array]> = []
    for (const digest of wanted) {
      const size = this.known.get(digest)
      const read = size === undefined ? await bytes(digest) : null
      if (size !== undefined) {
        this.known.delete(digest)
        this.known.set(digest, size)
      } else if (read !== null && read.byteLength <= LocalLimits.buildMapBytes) maps.push([digest, read])
    }
    if (this.closed || wanted.length === 0) return none
    const forget = this.forgotten(maps.reduce((sum, [, map]) => sum + map.byteLength, 0))
    const child = this.begun()
    for (const [digest, map] of maps) this.known.set(digest, map.byteLength)
    this.orders += 1
    const answer = await this.answered(child, { order: this.orders, forget, maps, frames })
    if (answer === null || answer.places.length !== frames.length) {
      this.stop()
      this.leave(wanted)
      return none
    }
    if (this.idle !== null) clearTimeout(this.idle)
    this.idle = setTimeout(() => this.stop(), LocalLimits.stackKeptMs)
    this.idle.unref()
    return answer.places
  }

  /** They took too long, or too much memory: they are not tried again while this runtime lives. */
  private leave(digests: ReadonlyArray<string>): void {
    if (this.unread.size > LocalLimits.stackVersions) this.unread.clear()
    for (const digest of digests) this.unread.add(digest)
  }

  private answered(child: ChildProcess, order: StackOrder): Promise<StackAnswer | null> {
    return new Promise((resolve) => {
      const end = (answer: StackAnswer | null) => {
        clearTimeout(timer)
        child.off("error", none)
        child.off("exit", none)
        child.off("message", read)
        resolve(answer)
      }
      const none = () => end(null)
      const read = (message: unknown) => {
        const answer = Schema.decodeUnknownResult(StackAnswer)(message)
        end(Result.isSuccess(answer) && answer.success.order === order.order ? answer.success : null)
      }
      const timer = setTimeout(none, LocalLimits.stackMs)
      child.once("error", none)
      child.once("exit", none)
      child.once("message", read)
      // An order that cannot be sent has no one to take it: `exit` follows.
      child.send(order, () => undefined)
    })
  }
}
