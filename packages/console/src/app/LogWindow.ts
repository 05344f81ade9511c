/** Which lines of an app are kept on the page, and where some are missing. Pure. */
import type { Answer } from "../api/Wire.ts"

/** One line, as the API tells it. */
export type LogLine = Answer<"apps", "logs">["items"][number]

/** Lines that the page keeps: the server keeps no more. */
export const rowsMost = 1000

/** A line, or a place where lines are missing: `missing` of them, before the line with `sequence`. */
export type LogRow =
  | { readonly is: "line"; readonly line: LogLine }
  | { readonly is: "gap"; readonly missing: number; readonly sequence: number }

const sequenceOf = (row: LogRow): number => (row.is === "line" ? row.line.sequence : row.sequence - 1)

/** The rows with more lines behind them. What came before is left out; what was skipped is said; the oldest go. */
export const withLines = (rows: ReadonlyArray<LogRow>, lines: ReadonlyArray<LogLine>): ReadonlyArray<LogRow> => {
  const next = [...rows]
  for (const line of lines) {
    const before = next.at(-1)
    const last = before === undefined ? null : sequenceOf(before)
    if (last !== null && line.sequence <= last) continue
    if (last !== null && line.sequence > last + 1)
      next.push({ is: "gap", missing: line.sequence - last - 1, sequence: line.sequence })
    next.push({ is: "line", line })
  }
  return next.length > rowsMost ? next.slice(-rowsMost) : next
}

/** What is looked for: words anywhere in a line, whatever their case, one level or worse, one channel. */
export interface LogFilter {
  readonly text: string
  readonly level: "" | "info" | "warn" | "error"
  readonly channel: string
}

const severity: Readonly<Record<LogLine["level"], number>> = { debug: 0, log: 1, info: 1, warn: 2, error: 3 }

/** The rows that a filter lets through. Gaps stay: what is missing may have matched. */
export const filtered = (rows: ReadonlyArray<LogRow>, { channel, level, text }: LogFilter): ReadonlyArray<LogRow> => {
  const words = text.trim().toLowerCase()
  return rows.filter(
    (row) =>
      row.is === "gap" ||
      ((channel === "" || row.line.channel === channel) &&
        (level === "" || severity[row.line.level] >= severity[level]) &&
        (words === "" || row.line.text.toLowerCase().includes(words)))
  )
}

/** The channels that some line is of, `production` first. */
export const channelsOf = (rows: ReadonlyArray<LogRow>): ReadonlyArray<string> => {
  const found = new Set(rows.flatMap((row) => (row.is === "line" ? [row.line.channel] : [])))
  return [...found].toSorted((a, b) => Number(b === "production") - Number(a === "production") || (a < b ? -1 : 1))
}
