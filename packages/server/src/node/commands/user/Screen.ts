/** Standard output and standard error, as a verb writes to them. Pure but for `write`. */

/** How something is to be written. */
export interface Screen {
  /** Whether standard output is a terminal. */
  readonly terminal: boolean
  /** Columns of the terminal. */
  readonly width: number
  readonly colour: boolean
}

/** Rows for people, and for programs that read columns. */
export interface Table {
  readonly head: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

const control = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu

/** Text that strangers may have written: nothing in it moves the cursor, rings, colours or turns the direction. */
export const harmless = (text: string): string => text.replace(/\r\n/g, "\n").replace(control, "\uFFFD")

const cell = (text: string): string => harmless(text).replace(/[\n\t]/g, " ")

const good = new Set(["live", "pass", "verified", "promoted", "completed", "deployed", "granted"])
const bad = new Set([
  "fail",
  "rejected",
  "failed",
  "smoke_failed",
  "blocked",
  "build_failed",
  "stale",
  "gap",
  "cancelled"
])

const coloured = (text: string, padded: string): string => {
  if (good.has(text)) return `\u001b[32m${padded}\u001b[0m`
  return bad.has(text) ? `\u001b[31m${padded}\u001b[0m` : padded
}

const lengthOf = (text: string): number => [...text].length
const cut = (text: string, width: number): string =>
  lengthOf(text) <= width ? text : `${[...text].slice(0, Math.max(0, width - 1)).join("")}…`

/** The widths of columns: the longest but the first one, which names the row, gives way until all fit. */
const widthsOf = (rows: ReadonlyArray<ReadonlyArray<string>>, width: number): ReadonlyArray<number> => {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => lengthOf(row[at] ?? ""))))
  const least = 8
  for (;;) {
    const whole = widths.reduce((sum, each) => sum + each, 2 * (widths.length - 1))
    const longest = Math.max(0, ...widths.slice(1))
    if (whole <= width || longest <= least) return widths
    widths[widths.indexOf(longest, 1)] = Math.max(least, longest - (whole - width))
  }
}

/** A table: fitted to a terminal, else columns between tabs, without a head. */
export const tableText = ({ head, rows }: Table, screen: Screen): string => {
  const cells = rows.map((row) => row.map(cell))
  if (!screen.terminal) return cells.map((row) => row.join("\t")).join("\n")
  if (rows.length === 0) return "none"
  const all = [head.map((each) => each.toUpperCase()), ...cells]
  const widths = widthsOf(all, screen.width)
  return all
    .map((row) =>
      row
        .map((text, at) => {
          const padded =
            at === row.length - 1 ? cut(text, widths[at] ?? 0) : cut(text, widths[at] ?? 0).padEnd(widths[at] ?? 0)
          return screen.colour ? coloured(text, padded) : padded
        })
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** How this process writes. A terminal that says `TERM=dumb` gets no colours. */
export const ownScreen = (environment: Readonly<Record<string, string | undefined>>): Screen => ({
  terminal: process.stdout.isTTY === true,
  width: process.stdout.columns || 80,
  colour: process.stdout.isTTY === true && !environment["NO_COLOR"] && environment["TERM"] !== "dumb"
})
