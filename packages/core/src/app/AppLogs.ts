/**
 * What the apps of a Project printed, what they threw and which bounds stopped them: the last `Limits.appLogLines` lines
 * of all its channels together, kept over releases. It is telemetry: an append may be lost with its process.
 */
import { Context, type Effect, Schema, type Stream } from "effect"
import type { LedgerUnavailable } from "../ledger/Ledger.ts"
import { Limits } from "../primitives/Limits.ts"
import { Timestamp } from "../primitives/Time.ts"

/** How many lines a reader gets at most. */
export const linesOf = (limit: number | undefined): number =>
  Math.max(1, Math.min(Math.floor(limit ?? Limits.pageSize), Limits.pageSize))

const logLevels = ["debug", "log", "info", "warn", "error"] as const
/** As the console's method says: `console.log` is `log`. */
export const LogLevel = Schema.Literals(logLevels)
export type LogLevel = typeof LogLevel.Type

/** `console`: the app printed it. `exception`: the app threw. `limit`: a bound stopped the app or dropped lines. */
export const LogSource = Schema.Literals(["console", "exception", "limit"])
export type LogSource = typeof LogSource.Type

/** One line, as it is kept. */
export const AppLogLine = Schema.Struct({
  /** Starts at 1 and is dense per Project; it goes on after a wipe. */
  sequence: Schema.Finite,
  /** When Pawl took it. */
  time: Timestamp,
  /** `production`, or `preview:` and the preview's or version's name. */
  channel: Schema.String,
  /** Id of the app version, `<project>@<commit>` and for previews and versions `#<channel>`. */
  version: Schema.String,
  level: LogLevel,
  source: LogSource,
  /** At most `Limits.appLogLineBytes` bytes of UTF-8; may hold line breaks. */
  text: Schema.String
})
export interface AppLogLine extends Schema.Schema.Type<typeof AppLogLine> {}

/** A line before the store gave it its place in the sequence. */
export type NewLogLine = Omit<AppLogLine, "sequence">

/** Which lines are asked for. */
export interface LogQuery {
  /** Only lines with a higher sequence, the oldest first. Without it: the newest lines. */
  readonly after?: number
  /** How many at most, 1 to `Limits.pageSize`, which is also the default. */
  readonly limit?: number
  /** Only lines of this channel. */
  readonly channel?: string
}

/** Lines by Project, the newest of all its channels together. */
export class AppLogs extends Context.Service<
  AppLogs,
  {
    /** Adds lines (at most `Limits.appLogBatchLines`) in their order, and forgets all but the newest `Limits.appLogLines`. All of them or none. */
    readonly append: (project: string, lines: ReadonlyArray<NewLogLine>) => Effect.Effect<void, LedgerUnavailable>
    /** Lines in the order of their sequence. What is no longer kept is left out without a word: sequences tell. */
    readonly read: (project: string, query: LogQuery) => Effect.Effect<ReadonlyArray<AppLogLine>, LedgerUnavailable>
    /** All lines that are kept with a higher sequence than `after`, then each new one within a second. Never ends. */
    readonly follow: (
      project: string,
      query: { readonly after: number; readonly channel?: string }
    ) => Stream.Stream<AppLogLine, LedgerUnavailable>
    /** Deletes every line of the Project. Repeating it is safe. */
    readonly wipe: (project: string) => Effect.Effect<void, LedgerUnavailable>
  }
>()("@pawl/core/app/AppLogs") {}
