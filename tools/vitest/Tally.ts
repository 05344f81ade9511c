/** What a test run came to, and what it left out and why: a skip that nobody reads is a gap that nobody knows. */
export interface Skipped {
  /** File and titles, joined with ` > `. */
  readonly title: string
  readonly tests: number
  readonly reason: string
}

export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** Not run because the quick run before has shown them. */
  readonly shown: number
  readonly skips: ReadonlyArray<Skipped>
}

export const noReason = "no reason given: say it in the title, as (needs …)"

/** The reason that a title gives: `(needs bubblewrap)`, `skipped: no Postgres`, `SKIPPED because …`. */
export const reasonIn = (title: string): string | undefined => {
  const said = /skipped\b[:,]?\s*(?<why>[^)\n]+)/i.exec(title)?.groups?.["why"]
  const needed = /\((?<what>needs [^)\n]+)\)/i.exec(title)?.groups?.["what"]
  return (said ?? needed)?.trim()
}

/** The line that ends every run. */
export const lastLine = (tally: Pick<Tally, "passed" | "failed" | "skipped">): string =>
  `${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped`

/** A skipped run is a failed run where everything needed was installed on purpose. */
export const skipsFail = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  (environment["PAWL_TEST_NO_SKIP"] ?? "") !== ""

export const loudSkips = (skips: ReadonlyArray<Skipped>): string => {
  if (skips.length === 0) return "Nothing was skipped."
  const rule = "!".repeat(80)
  const lines = skips.map(({ title, tests, reason }) => `  SKIPPED ${title} (${tests})\n          ${reason}`)
  return [rule, "  NOT RUN HERE:", ...lines, rule].join("\n")
}
