/** The lines of the app of one Project on their way to the store: bounded by time, and told how many were dropped. */
import type { AppLogs, NewLogLine } from "@pawl/core/app/AppLogs"
import type { AppVersion } from "@pawl/core/app/AppRuntime"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { utf8 } from "@pawl/core/primitives/Digest"
import { fromMillis, nowMillis } from "@pawl/core/primitives/Time"
import { Effect } from "effect"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import type { TailLine } from "./TailLines.ts"

/** What of a version stands with its lines. */
export type PrintingVersion = Pick<AppVersion, "channel" | "id" | "project">

/** What was printed, and how many lines more there were that nobody sent. */
export interface Printed {
  readonly lines: ReadonlyArray<TailLine>
  readonly dropped: number
}

interface Window {
  readonly fromMs: number
  lines: number
  bytes: number
  dropped: number
}

const droppedText = (count: number): string =>
  `${count} lines dropped: of an app, ${CloudflareLimits.tailLines} lines and ${CloudflareLimits.tailBytes / 1024} KiB a second are kept`

/** Takes lines; ends when they are stored, and where it was the first to drop some, when that is told as well. */
export type TakeLines = (
  logs: AppLogs["Service"],
  version: PrintingVersion,
  printed: Printed
) => Effect.Effect<void, LedgerUnavailable>

/** One for each Project, in its object. */
export const make = (): TakeLines => {
  let window: Window = { fromMs: Number.NEGATIVE_INFINITY, lines: 0, bytes: 0, dropped: 0 }

  const fits = (text: string): boolean => {
    const bytes = utf8(text).length
    if (window.lines >= CloudflareLimits.tailLines || window.bytes + bytes > CloudflareLimits.tailBytes) return false
    window.lines += 1
    window.bytes += bytes
    return true
  }

  return Effect.fnUntraced(function* (logs, version, { dropped, lines }) {
    const nowMs = yield* nowMillis
    if (nowMs - window.fromMs >= CloudflareLimits.tailWindowMs || nowMs < window.fromMs)
      window = { fromMs: nowMs, lines: 0, bytes: 0, dropped: 0 }
    const own = window
    const stored = (each: TailLine, atMs: number): NewLogLine => ({
      ...each,
      time: fromMillis(atMs),
      channel: version.channel,
      version: version.id
    })
    const kept = lines.filter(({ text }) => fits(text))
    const isFirst = own.dropped === 0
    own.dropped += lines.length - kept.length + dropped
    if (kept.length > 0)
      yield* logs.append(
        version.project,
        kept.map((each) => stored(each, nowMs))
      )
    if (!isFirst || own.dropped === 0) return
    yield* Effect.sleep(CloudflareLimits.tailWindowMs)
    const told = { level: "warn", source: "limit", text: droppedText(own.dropped) } as const
    yield* logs.append(version.project, [stored(told, yield* nowMillis)])
  })
}
