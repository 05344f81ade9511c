/** Checks as bars on one axis of time. Pure. */

/** What ran from when to when; without an end it still runs. Moments are ISO 8601. */
export interface Ran {
  readonly name: string
  readonly result: "pass" | "fail" | "gap" | "running"
  readonly from: string
  readonly to: string | null
}

/** A bar: where it begins and how wide it is, of 0 to 100. */
export interface Bar {
  readonly name: string
  readonly result: Ran["result"]
  readonly start: number
  readonly width: number
  /** Milliseconds so far. */
  readonly tookMs: number
}

const least = 0.8

/** All bars of a lane lie on the axis from the first beginning to the last end, or to `now` while something runs. */
export const spanOf = (all: ReadonlyArray<Ran>, now: number): readonly [from: number, to: number] => {
  const from = Math.min(...all.map((each) => Date.parse(each.from)))
  const to = Math.max(...all.map((each) => (each.to === null ? now : Date.parse(each.to))))
  return [from, Math.max(to, from + 1)]
}

/** The bars of some checks within a span. What was too short to be seen is as wide as can be. */
export const barsOf = (
  all: ReadonlyArray<Ran>,
  [from, to]: readonly [from: number, to: number],
  now: number
): ReadonlyArray<Bar> =>
  all.map((each) => {
    const begins = Date.parse(each.from)
    const ends = each.to === null ? now : Date.parse(each.to)
    const share = (moment: number) => Math.min(100, Math.max(0, ((moment - from) / (to - from)) * 100))
    const width = Math.max(least, share(ends) - share(begins))
    return {
      name: each.name,
      result: each.result,
      start: Math.min(share(begins), 100 - width),
      width,
      tookMs: Math.max(0, ends - begins)
    }
  })
