/** The lines of one Project on their way to the store: bounded in number and rate, stored in batches, waited for by nobody. */
import type { LogLevel, LogSource, NewLogLine } from "@pawl/core/app/AppLogs"
import type { AppVersion } from "@pawl/core/app/AppRuntime"
import type { PlaceStacks } from "../stacks/SourceStacks.ts"
import { droppedText, lineText } from "@pawl/core/app/LogText"
import { Limits } from "@pawl/core/primitives/Limits"
import { LocalLimits } from "../../LocalLimits.ts"
import { fromMillis } from "@pawl/core/primitives/Time"

/** Shared by all queues of a runtime. */
export interface Waiting {
  lines: number
}

/** Half of what happened, as long as the other half may still come: what the process told, or which request it was. */
export interface Half {
  readonly side: "process" | "request"
  readonly key: string
  /** The request. */
  readonly label: string
  /** What stands before the text when the other half never comes. */
  readonly alone: string
  /** Whether the other half may have any words; when not, both are about the same error. */
  readonly isAny: boolean
}

/** A line before it is stored. */
export interface Entry {
  readonly version: AppVersion
  readonly level: LogLevel
  readonly source: LogSource
  text: string
  /** How long the whole was in bytes, when the text is a part of it; else 0. */
  readonly wholeBytes: number
  half: Half | null
}

interface Queued extends Entry {
  readonly atMs: number
  readonly sinceMs: number
}

const lineOf = ({ atMs, half, level, source, text, version }: Queued): NewLogLine => ({
  time: fromMillis(atMs),
  channel: version.channel,
  version: version.id,
  level,
  source,
  text: lineText((half?.alone ?? "") + text)
})

/**
 * `store` gets batches in order, one at a time, after `place` has made their stacks name the source; `takes` is asked
 * before a line is decoded.
 */
export class LineQueue {
  /** Called when nothing is left to store or to tell. */
  onEmpty: () => void = () => undefined
  private readonly store: (lines: ReadonlyArray<NewLogLine>) => Promise<void>
  private readonly waiting: Waiting
  private readonly place: PlaceStacks
  private readonly nowMs: () => number
  private entries: Array<Queued> = []
  private timer: NodeJS.Timeout | null = null
  private storing: Promise<void> | null = null
  private windowFromMs = 0
  private taken = { console: 0, other: 0, bytes: 0 }
  private dropped = 0
  private lastVersion: AppVersion | null = null
  private closed = false

  constructor(
    store: (lines: ReadonlyArray<NewLogLine>) => Promise<void>,
    waiting: Waiting,
    place: PlaceStacks,
    nowMs: () => number
  ) {
    this.store = store
    this.waiting = waiting
    this.place = place
    this.nowMs = nowMs
  }

  /** Whether one more line may be added within this second; what may not is counted. */
  takes(kind: "console" | "other", bytes: number, version: AppVersion): boolean {
    this.lastVersion = version
    const nowMs = performance.now()
    if (nowMs - this.windowFromMs >= LocalLimits.appLogWindowMs) {
      this.windowFromMs = nowMs
      this.taken = { console: 0, other: 0, bytes: 0 }
    }
    const fits =
      !this.closed &&
      this.taken[kind] < LocalLimits.appLogLinesPerSecond &&
      this.taken.bytes + bytes <= LocalLimits.appLogBytesPerSecond &&
      this.entries.length < Limits.appLogLines &&
      this.waiting.lines < LocalLimits.appLogWaitingLines
    if (fits) {
      this.taken[kind] += 1
      this.taken.bytes += bytes
    } else this.drop(1)
    return fits
  }

  add(entry: Entry): void {
    this.lastVersion = entry.version
    const text = lineText(entry.text, entry.wholeBytes)
    this.entries.push({ ...entry, text, atMs: this.nowMs(), sinceMs: performance.now() })
    this.waiting.lines += 1
    if (this.entries.length >= Limits.appLogBatchLines) this.flush()
    this.schedule()
  }

  /** The newest line that waits for its other half and is it. */
  half(side: Half["side"], version: AppVersion, key: string, isIt: (entry: Entry) => boolean): Entry | null {
    const from = Math.max(0, this.entries.length - LocalLimits.appLogHalfLines)
    for (let at = this.entries.length - 1; at >= from; at--) {
      const entry = this.entries[at]!
      if (entry.half?.side === side && entry.half.key === key && entry.version.id === version.id && isIt(entry))
        return entry
    }
    return null
  }

  /** Both halves are there. */
  complete(entry: Entry, text: string): void {
    entry.text = text
    entry.half = null
  }

  /** Stores what waits now. */
  async close(): Promise<void> {
    this.closed = true
    if (this.timer !== null) clearTimeout(this.timer)
    this.tellDropped()
    while (this.entries.length > 0 || this.storing !== null) {
      this.flush()
      await this.storing
    }
  }

  private drop(count: number): void {
    this.dropped += count
    this.schedule()
  }

  private schedule(): void {
    if (this.timer !== null || this.closed) return
    this.timer = setTimeout(() => {
      this.timer = null
      if (this.dropped > 0 && performance.now() - this.windowFromMs >= LocalLimits.appLogWindowMs) this.tellDropped()
      this.flush()
      if (this.entries.length > 0 || this.dropped > 0) this.schedule()
      else if (this.storing === null && performance.now() - this.windowFromMs >= LocalLimits.appLogWindowMs)
        this.onEmpty()
      else this.schedule()
    }, LocalLimits.appLogFlushMs)
    this.timer.unref()
  }

  private tellDropped(): void {
    if (this.dropped === 0 || this.lastVersion === null) return
    const text = droppedText(this.dropped, LocalLimits.appLogLinesPerSecond, LocalLimits.appLogBytesPerSecond)
    this.dropped = 0
    const now = { atMs: this.nowMs(), sinceMs: performance.now() }
    const line = { version: this.lastVersion, level: "warn", source: "limit", text, wholeBytes: 0, half: null } as const
    this.entries.push({ ...line, ...now })
    this.waiting.lines += 1
  }

  /** Stores the lines up to the first that may still be completed. One batch is under way at a time. */
  private flush(): void {
    if (this.storing !== null) return
    const beforeMs = performance.now() - LocalLimits.appLogFlushMs
    const open = this.closed ? -1 : this.entries.findIndex((entry) => entry.half !== null && entry.sinceMs > beforeMs)
    const batch = this.entries.splice(0, Math.min(open === -1 ? this.entries.length : open, Limits.appLogBatchLines))
    if (batch.length === 0) return
    this.storing = this.place(batch)
      .then((texts) => this.store(batch.map((entry, at) => lineOf({ ...entry, text: texts[at] ?? entry.text }))))
      .catch(() => this.drop(batch.length))
      .then(() => {
        this.storing = null
        this.waiting.lines -= batch.length
        if (this.entries.length >= Limits.appLogBatchLines) this.flush()
      })
  }
}
