/** Kills processes over their CPU or memory bound, and slows those that come near it, from a thread of its own. */
import { Worker } from "node:worker_threads"
import { LocalLimits } from "../../LocalLimits.ts"
import {
  headerWords,
  rowWords,
  sleepingWord,
  verdictOn,
  verdicts,
  type WatchdogData,
  wakeWord,
  wordAt
} from "./WatchTable.ts"

const pageBytes = 4096

/** One watched process. */
export interface Watch {
  /** A request starts; CPU time counts from now, up to `budgetMs`, also after the request ended. */
  readonly begin: (budgetMs: number) => void
  readonly end: () => void
  /** Why the watchdog killed the process, if it did. */
  readonly verdict: () => "cpu" | "memory" | null
  /** Whether the process holds more memory than one that goes on serving should. */
  readonly heavy: () => boolean
  /** Stops watching. The verdict is lost. */
  readonly release: () => void
}

/** One thread for `rows` processes at once. */
export class Watchdog {
  private readonly table: Int32Array
  private readonly thread: Worker
  private readonly free: Array<number>

  constructor(rows: number) {
    const shared = new SharedArrayBuffer(4 * (headerWords + rows * rowWords))
    this.table = new Int32Array(shared)
    this.free = Array.from({ length: rows }, (_, row) => row)
    const workerData: WatchdogData = {
      table: shared,
      rows,
      memoryPages: Math.floor(LocalLimits.appMemoryBytes / pageBytes),
      heavyPages: Math.floor(LocalLimits.appHeavyBytes / pageBytes),
      tickMs: LocalLimits.appWatchMs,
      idleTickMs: LocalLimits.appWatchIdleMs,
      lowShare: LocalLimits.appLowShare,
      lowNice: LocalLimits.lowNice
    }
    this.thread = new Worker(
      new URL(`./WatchdogThread${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url),
      {
        workerData,
        execArgv: []
      }
    )
    this.thread.unref()
  }

  /** Watches a process. Throws when every row is taken, which the bound on processes rules out. */
  watch(pid: number): Watch {
    const row = this.free.pop()
    if (row === undefined) throw new Error("more processes than the watchdog has rows")
    const table = this.table
    const set = (name: Parameters<typeof wordAt>[1], value: number) =>
      void Atomics.store(table, wordAt(row, name), value)
    set("verdict", verdicts.none)
    set("busy", 0)
    set("budgetMs", LocalLimits.appColdCpuMs)
    const tenant = Atomics.add(table, wordAt(row, "tenant"), 1) + 1
    set("pid", pid)
    let released = false
    return {
      begin: (budgetMs) => {
        set("budgetMs", budgetMs)
        Atomics.add(table, wordAt(row, "request"), 1)
        set("busy", 1)
        Atomics.add(table, wakeWord, 1)
        if (Atomics.load(table, sleepingWord) === 1) Atomics.notify(table, wakeWord)
      },
      end: () => set("busy", 0),
      verdict: () => {
        const verdict = verdictOn(tenant, Atomics.load(table, wordAt(row, "verdict")))
        return verdict === verdicts.cpu ? "cpu" : verdict === verdicts.memory ? "memory" : null
      },
      heavy: () => Atomics.load(table, wordAt(row, "heavy")) === tenant,
      release: () => {
        if (released) return
        released = true
        set("pid", 0)
        this.free.push(row)
      }
    }
  }

  async close(): Promise<void> {
    await this.thread.terminate()
  }
}
