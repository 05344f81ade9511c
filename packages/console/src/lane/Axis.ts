/** Checks as bars on one axis of time, that all rows of a screen share. Pure. */

/** What ran from when to when; without an end it still runs. Moments are ISO 8601. */
export interface Ran {
  readonly name: string
  /** `refuted`: a whole Candidate that came to nothing. */
  readonly result: "pass" | "fail" | "gap" | "running" | "refuted"
  readonly from: string
  readonly to: string | null
  /** What refuted it, in the server's words. */
  readonly reason?: string
}

/** A bar: where it begins and how wide it is, of 0 to 100. */
export interface Bar extends Pick<Ran, "name" | "result" | "reason"> {
  readonly start: number
  readonly width: number
  /** Milliseconds so far. */
  readonly tookMs: number
}

/** From the first beginning to the last end. Moments are in ms. */
export interface Axis {
  readonly from: number
  readonly to: number
  /** What still runs ends here. */
  readonly now: number
  /** Where a moment lies, of 0 to 100. */
  readonly at: (moment: number) => number
  /** Where idle time was cut, of 0 to 100. */
  readonly cuts: ReadonlyArray<number>
}

const least = 0.8

/** Time in which nothing ran is drawn no wider than this share of the time in which something did. */
const idleMost = 0.1

type Stretch = readonly [from: number, to: number]

const endOf = ({ from, to }: Ran, now: number): number =>
  to === null ? Math.max(now, Date.parse(from)) : Date.parse(to)

/** Stretches in which something ran, in order, with idle time between them. */
const busyOf = (all: ReadonlyArray<Ran>, now: number): ReadonlyArray<Stretch> => {
  const busy: Array<Stretch> = []
  const stretches = all.map((each): Stretch => [Date.parse(each.from), endOf(each, now)])
  for (const [from, to] of stretches.toSorted(([one], [other]) => one - other)) {
    const last = busy.at(-1)
    if (last === undefined || from > last[1]) busy.push([from, to])
    else busy[busy.length - 1] = [last[0], Math.max(last[1], to)]
  }
  return busy
}

/** The axis on which all of these lie. What runs goes on to `now`, in ms. */
export const axisOf = (all: ReadonlyArray<Ran>, now: number): Axis => {
  const busy = busyOf(all, now)
  const [from, to] = [busy[0]?.[0] ?? now, busy.at(-1)?.[1] ?? now]
  const longestIdle = Math.max(1, busy.reduce((sum, [begins, ends]) => sum + ends - begins, 0) * idleMost)
  // Where each stretch begins, when no idle time is longer than that.
  const places: Array<number> = []
  const cuts: Array<number> = []
  let length = 0
  for (const [index, [begins, ends]] of busy.entries()) {
    const idle = begins - (busy[index - 1]?.[1] ?? begins)
    if (idle > longestIdle) cuts.push(length + longestIdle / 2)
    length += Math.min(idle, longestIdle)
    places.push(length)
    length += ends - begins
  }
  const share = (place: number): number => (length === 0 ? 0 : Math.min(100, Math.max(0, (place / length) * 100)))
  const at = (moment: number): number => {
    const index = busy.findLastIndex(([begins]) => begins <= moment)
    const [begins, ends] = busy[index] ?? [from, from]
    return share((places[index] ?? 0) + Math.min(moment, ends) - begins)
  }
  return { from, to, now, at, cuts: cuts.map(share) }
}

/** The bars of some checks. What was too short to be seen is as wide as can be. */
export const barsOf = (all: ReadonlyArray<Ran>, { at, now }: Axis): ReadonlyArray<Bar> =>
  all.map((each) => {
    const [begins, ends] = [Date.parse(each.from), endOf(each, now)]
    const width = Math.max(least, at(ends) - at(begins))
    return {
      ...each,
      start: Math.min(at(begins), 100 - width),
      width,
      tookMs: Math.max(0, ends - begins)
    }
  })
