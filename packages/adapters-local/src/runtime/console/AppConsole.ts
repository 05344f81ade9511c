/** Where what the apps of this process print, throw and run into becomes lines, and what is told of each. */
import type { Readable } from "node:stream"
import type { LogLevel, LogSource, NewLogLine } from "@pawl/core/app/AppLogs"
import { requestLabel } from "@pawl/core/app/LogText"
import { AppOverLimit, type AppRequest, AppThrew, type AppVersion } from "@pawl/core/app/AppRuntime"
import { LocalLimits } from "../../LocalLimits.ts"
import type { PlaceStacks } from "../stacks/SourceStacks.ts"
import { ConsoleLines } from "./ConsoleLines.ts"
import { LineQueue, type Waiting } from "./LineQueue.ts"

/** Stores lines of one Project. What fails is counted as dropped. */
export type StoreLines = (project: string, lines: ReadonlyArray<NewLogLine>) => Promise<void>

type Limit = AppOverLimit["limit"]

const over: Readonly<Record<Limit, string>> = {
  cpu: `stopped: it used more CPU time than the ${LocalLimits.appCpuMs} ms of a request (${LocalLimits.appFirstCpuMs} ms for the first one of a process)`,
  memory: `stopped: it used more than ${LocalLimits.appMemoryBytes / 1024 / 1024} MiB of memory`,
  subrequests: `stopped: it made more than ${LocalLimits.appSubrequests} calls in one request`,
  wall: "stopped: the request took too long",
  response: `stopped: its answer was longer than ${LocalLimits.appResponseBytes / 1024 / 1024} MiB`,
  busy: "refused: too many requests wait for the app",
  crash_loop: "refused: the app died too often and rests for a while"
}
const processDied = "the app's process died"

/** A text without the frames of the modules around the app, which its author does not know. */
const withoutOurs = (text: string): string =>
  text.includes("pawl") ? text.replace(/\n {1,8}at [^\n]*(?:pawl-entry-\d+\.js|pawl:data):[^\n]*/g, "") : text

/** What was thrown, with where when that is known. */
const reasonOf = ({ reason, trace = "" }: AppThrew): string => {
  const where = trace.trimEnd()
  if (where === "") return reason.trimEnd()
  return where.startsWith(reason) ? where : `${reason}\n${where}`
}

/** Whether the reason that a request was answered with is about what a process told. */
const sameError = (reason: string, told: string): boolean => {
  const said = told.split("\n    at ", 1)[0]!
  return said !== "" && (reason.startsWith(said) || said.startsWith(reason) || reason === `Error: ${said}`)
}

/** An app that prints without end waits for its reader: to read it all would be our work, not its own. */
const slowed = (output: Readable): void => {
  let read = 0
  let timer: NodeJS.Timeout | null = null
  output.on("data", (chunk: Buffer) => {
    read += chunk.length
    timer ??= setTimeout(() => {
      timer = null
      read = 0
      output.resume()
    }, 1000)
    if (read > LocalLimits.appLogReadBytesPerSecond) output.pause()
  })
  output.once("close", () => timer !== null && clearTimeout(timer))
}

/** One for all processes of a runtime, with a queue for each Project. */
export class AppConsole {
  private readonly store: StoreLines
  private readonly place: PlaceStacks
  private readonly nowMs: () => number
  private readonly queues = new Map<string, LineQueue>()
  private readonly refusals = new Map<
    string,
    { count: number; readonly tell: () => void; readonly timer: NodeJS.Timeout }
  >()
  /** Lines of all queues together. */
  private readonly waiting: Waiting = { lines: 0 }

  /**
   * `place`: makes stacks name the source. Without it they name the bundle. `nowMs`: the time that lines are stored with,
   * in ms since 1970; without it the machine's.
   */
  constructor(
    store: StoreLines,
    place: PlaceStacks = async (texts) => texts.map(({ text }) => text),
    nowMs: () => number = Date.now
  ) {
    this.store = store
    this.place = place
    this.nowMs = nowMs
  }

  /** Reads the output of a process, from its start to its end. Lines belong to the version it has. */
  read(output: Readable | null, versionOf: () => AppVersion | null): void {
    const lines = new ConsoleLines({
      takes: (bytes) => {
        const version = versionOf()
        return version !== null && this.queueOf(version.project).takes("console", bytes, version)
      },
      printed: ({ level, text, wholeBytes }) => {
        const version = versionOf()
        if (version !== null) this.add(version, level, "console", withoutOurs(text), wholeBytes)
      },
      threw: (text) => {
        const version = versionOf()
        if (version !== null) this.told(version, "exception", "threw", withoutOurs(text))
      }
    })
    output?.on("data", (chunk: Buffer) => lines.feed(chunk))
    output?.on("error", () => undefined)
    if (output !== null) slowed(output)
  }

  /** A process of a version ended by itself, or over a bound. */
  died(version: AppVersion, verdict: "cpu" | "memory" | null): void {
    if (verdict === null) this.told(version, "exception", "died", processDied)
    else this.told(version, "limit", verdict, over[verdict])
  }

  /** A request was not answered by the app. */
  failed(version: AppVersion, request: AppRequest, failure: unknown): void {
    const label = requestLabel(request)
    if (failure instanceof AppThrew) {
      const reason = withoutOurs(reasonOf(failure))
      if (failure.how === "died") this.asked(version, "exception", "died", label, reason)
      // That it broke off is all that a connection knows of a body that threw.
      else this.asked(version, "exception", "threw", label, reason, failure.how === "broke_off")
    } else if (failure instanceof AppOverLimit) {
      const { limit } = failure
      if (limit === "busy" || limit === "crash_loop") this.refused(version, limit, label)
      else this.asked(version, "limit", limit, label, over[limit])
    }
  }

  /** Stores what waits, and resolves when it is stored or cannot be. */
  async close(): Promise<void> {
    for (const { tell, timer } of this.refusals.values()) {
      clearTimeout(timer)
      tell()
    }
    await Promise.all(Array.from(this.queues.values(), (queue) => queue.close()))
  }

  private queueOf(project: string): LineQueue {
    const known = this.queues.get(project)
    if (known !== undefined) return known
    const made = new LineQueue((lines) => this.store(project, lines), this.waiting, this.place, this.nowMs)
    made.onEmpty = () => void this.queues.delete(project)
    this.queues.set(project, made)
    return made
  }

  private add(version: AppVersion, level: LogLevel, source: LogSource, text: string, wholeBytes = 0): void {
    this.queueOf(version.project).add({ version, level, source, text, wholeBytes, half: null })
  }

  /** The process's half of what happened: it waits a moment for the request that it happened to. */
  private told(version: AppVersion, source: LogSource, key: string, text: string): void {
    const queue = this.queueOf(version.project)
    const asked = queue.half(
      "request",
      version,
      key,
      (other) => other.half?.isAny === true || sameError(other.text, text)
    )
    if (asked !== null) return queue.complete(asked, `${asked.half?.label ?? ""}: ${text}`)
    if (!queue.takes("other", 0, version)) return
    const alone = source === "exception" && key === "threw" ? "Uncaught " : ""
    const half = { side: "process", key, label: "", alone, isAny: key !== "threw" } as const
    queue.add({ version, level: "error", source, text, wholeBytes: 0, half })
  }

  /** The request's half. */
  private asked(
    version: AppVersion,
    source: LogSource,
    key: string,
    label: string,
    reason: string,
    isAny = key !== "threw"
  ): void {
    const queue = this.queueOf(version.project)
    const told = queue.half("process", version, key, (other) => isAny || sameError(reason, other.text))
    if (told !== null) return queue.complete(told, `${label}: ${told.text}`)
    // An app that threw at its top level ends its process.
    const died = key === "threw" ? queue.half("process", version, "died", () => true) : null
    if (died !== null) return queue.complete(died, `${label}: ${reason}`)
    if (!queue.takes("other", 0, version)) return
    const half = { side: "request", key, label, alone: `${label}: `, isAny } as const
    queue.add({ version, level: "error", source, text: reason, wholeBytes: 0, half })
  }

  /** Requests turned away come in crowds: the first is told at once, the others together. */
  private refused(version: AppVersion, limit: "busy" | "crash_loop", label: string): void {
    const key = `${version.id}\n${limit}`
    const known = this.refusals.get(key)
    if (known !== undefined) {
      known.count += 1
      return
    }
    this.add(version, "error", "limit", `${label}: ${over[limit]}`)
    const tell = () => {
      const count = this.refusals.get(key)?.count ?? 0
      this.refusals.delete(key)
      if (count > 0) this.add(version, "error", "limit", `${count} more requests ${over[limit]}`)
    }
    const timer = setTimeout(tell, LocalLimits.appLogRefusalsMs)
    timer.unref()
    this.refusals.set(key, { count: 0, tell, timer })
  }
}
