/**
 * What a Worker printed and threw, as a tail Worker is told of it, as lines:
 * https://developers.cloudflare.com/workers/observability/logs/tail-workers/.
 */
import type { LogLevel, LogSource } from "@pawl/core/app/AppLogs"
import { lineText, requestLabel } from "@pawl/core/app/LogText"
import { CloudflareLimits } from "../CloudflareLimits.ts"

/** What is known of an error among what was printed, or of one that nobody caught. */
interface TailError {
  readonly name: string
  readonly message: string
  /** The frames alone. */
  readonly stack?: string
}

/** One call of a Worker, as far as it is used. */
export interface TailItem {
  readonly event: { readonly request?: { readonly method: string; readonly url: string } } | null
  readonly logs: ReadonlyArray<{
    readonly level: string
    /** What `console` was called with. */
    readonly message: unknown
    /** Of those that are errors, at their place. */
    readonly errorInfo?: ReadonlyArray<TailError | null>
  }>
  readonly exceptions: ReadonlyArray<TailError>
  readonly outcome: string
  /** More was printed than is told. */
  readonly truncated?: boolean
}

/** A line, before it is known when it was taken and by whom it was printed. */
export interface TailLine {
  readonly level: LogLevel
  readonly source: LogSource
  readonly text: string
}

const levels: ReadonlySet<string> = new Set<LogLevel>(["debug", "log", "info", "warn", "error"])
const isLevel = (level: string): level is LogLevel => levels.has(level)

const limits: Readonly<Record<string, string>> = {
  exceededCpu: `stopped: it used more CPU time than the ${CloudflareLimits.appCpuMs} ms of a request`,
  exceededMemory: "stopped: it used more memory than an isolate may"
}

const cut = "lines dropped: one request printed more than Cloudflare tells of"

const line = (level: LogLevel, source: LogSource, text: string): TailLine => ({ level, source, text: lineText(text) })

const shown = (value: unknown): string => {
  if (typeof value === "string") return value
  return typeof value === "object" && value !== null ? (JSON.stringify(value) ?? "") : String(value)
}

const withFrames = (text: string, { stack = "" }: TailError): string =>
  stack === "" || text.includes(stack) ? text : `${text}\n${stack}`

const printedText = ({ errorInfo = [], message }: TailItem["logs"][number]): string =>
  (Array.isArray(message) ? message : [message])
    .map((value, at) => {
      const error = errorInfo[at]
      return error === null || error === undefined ? shown(value) : withFrames(shown(value), error)
    })
    .join(" ")

const linesOf = (item: TailItem): ReadonlyArray<TailLine> => {
  const label = item.event?.request === undefined ? "" : `${requestLabel(item.event.request)}: `
  const limit = Object.hasOwn(limits, item.outcome) ? limits[item.outcome] : undefined
  // What is thrown beside the request does not end it.
  const before = item.outcome === "exception" ? label : "Uncaught "
  return [
    ...item.logs.map((each) => line(isLevel(each.level) ? each.level : "log", "console", printedText(each))),
    ...(item.truncated === true ? [line("warn", "limit", cut)] : []),
    ...(limit === undefined
      ? item.exceptions.map((each) =>
          line("error", "exception", withFrames(`${before}${each.name}: ${each.message}`, each))
        )
      : [line("error", "limit", `${label}${limit}`)])
  ]
}

/** The lines of calls, each cut to the length of a line, and how many there were beyond `CloudflareLimits.tailLines`. */
export const tailLines = (
  items: ReadonlyArray<TailItem>
): { readonly lines: ReadonlyArray<TailLine>; readonly dropped: number } => {
  const all = items.flatMap(linesOf)
  return {
    lines: all.slice(0, CloudflareLimits.tailLines),
    dropped: Math.max(0, all.length - CloudflareLimits.tailLines)
  }
}
