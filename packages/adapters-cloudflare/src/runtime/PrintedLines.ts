/** The lines of the app of one Project on their way to the store: bounded by time, and told how many were dropped. */
import type { NewLogLine } from "@pawl/core/app/AppLogs"
import type { AppVersion } from "@pawl/core/app/AppRuntime"
import { droppedText } from "@pawl/core/app/LogText"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { utf8 } from "@pawl/core/primitives/Digest"
import { fromMillis, nowMillis } from "@pawl/core/primitives/Time"
import { Effect } from "effect"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import type { TailLine } from "./TailLines.ts"

/** What of a version stands with its lines. */
export type PrintingVersion = Pick<AppVersion, "channel" | "id">

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

/** Takes lines; ends when they are stored, and where it was the first to drop some, when that is told as well: a moment later. */
export type TakeLines = <R>(
  append: (lines: ReadonlyArray<NewLogLine>) => Effect.Effect<void, LedgerUnavailable, R>,
  version: PrintingVersion,
  printed: Printed
) => Effect.Effect<void, LedgerUnavailable, R>

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

  return Effect.fnUntraced(function* <R>(
    append: (lines: ReadonlyArray<NewLogLine>) => Effect.Effect<void, LedgerUnavailable, R>,
    version: PrintingVersion,
    { dropped, lines }: Printed
  ): Effect.fn.Return<void, LedgerUnavailable, R> {
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
    if (kept.length > 0) yield* append(kept.map((each) => stored(each, nowMs)))
    if (!isFirst || own.dropped === 0) return
    yield* Effect.sleep(CloudflareLimits.tailWindowMs)
    const text = droppedText(own.dropped, CloudflareLimits.tailLines, CloudflareLimits.tailBytes)
    yield* append([stored({ level: "warn", source: "limit", text }, yield* nowMillis)])
  })
}
