/**
 * Which runs of lines differ between two texts: by lines that stand once in both, and between those by the shortest way
 * from one to the other (Myers). Pure.
 */
import { CloudflareLimits } from "../CloudflareLimits.ts"

/** Lines `[start, end)` of the old text stand in the new one as `[newStart, newEnd)`. One of the two runs may be empty. */
export interface Change {
  readonly start: number
  readonly end: number
  readonly newStart: number
  readonly newEnd: number
}

/** A stretch of both texts that is compared. */
type Stretch = readonly [start: number, end: number, newStart: number, newEnd: number]

/** The lines of a text, each with its newline; the last may have none. */
export const linesOf = (text: string): ReadonlyArray<string> => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Pairs of places in order, as many as can be, with rising places in the second text. */
const rising = (pairs: ReadonlyArray<readonly [number, number]>): ReadonlyArray<readonly [number, number]> => {
  interface Link {
    readonly pair: readonly [number, number]
    readonly before: Link | null
  }
  const ends: Array<Link> = []
  for (const pair of pairs) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (ends[middle]!.pair[1] < pair[1]) low = middle + 1
      else high = middle
    }
    ends[low] = { pair, before: ends[low - 1] ?? null }
  }
  const found: Array<readonly [number, number]> = []
  for (let link = ends.at(-1) ?? null; link !== null; link = link.before) found.push(link.pair)
  return found.reverse()
}

/** Lines that stand once in each stretch, as pairs of places. */
const uniquePairs = (old: ReadonlyArray<string>, now: ReadonlyArray<string>, [a, b, c, d]: Stretch) => {
  const places = new Map<string, { old: number; now: number }>()
  for (let at = a; at < b; at++) places.set(old[at]!, { old: places.has(old[at]!) ? -2 : at, now: -1 })
  for (let at = c; at < d; at++) {
    const place = places.get(now[at]!)
    if (place !== undefined) place.now = place.now === -1 ? at : -2
  }
  const pairs: Array<readonly [number, number]> = []
  for (const place of places.values()) if (place.old >= 0 && place.now >= 0) pairs.push([place.old, place.now])
  return rising(pairs)
}

/** The shortest way as pairs of equal lines; null when it is longer than `lineDiffSteps`. */
const shortest = (old: ReadonlyArray<string>, now: ReadonlyArray<string>, [a, b, c, d]: Stretch) => {
  const [n, m] = [b - a, d - c]
  const reach = Math.min(n + m, CloudflareLimits.lineDiffSteps)
  const rows: Array<Int32Array> = []
  const row = new Int32Array(2 * reach + 3)
  for (let steps = 0; steps <= reach; steps++) {
    rows.push(row.slice())
    for (let k = -steps; k <= steps; k += 2) {
      const down = k === -steps || (k !== steps && row[reach + k]! < row[reach + k + 2]!)
      let x = down ? row[reach + k + 2]! : row[reach + k]! + 1
      while (x < n && x - k < m && old[a + x] === now[c + x - k]) x++
      row[reach + k + 1] = x
      if (x >= n && x - k >= m) return wayBack(rows, reach, steps, [n, m])
    }
  }
  return null
}

/** Which old lines go on, from the rows that were reached step by step. */
const wayBack = (rows: ReadonlyArray<Int32Array>, reach: number, last: number, [n, m]: readonly [number, number]) => {
  const pairs: Array<readonly [number, number]> = []
  let [x, y] = [n, m]
  for (let steps = last; steps >= 0; steps--) {
    const row = rows[steps]!
    const k = x - y
    const down = k === -steps || (k !== steps && row[reach + k]! < row[reach + k + 2]!)
    const from = steps === 0 ? 0 : down ? row[reach + k + 2]! : row[reach + k]! + 1
    while (x > from) pairs.push([--x, --y])
    if (steps === 0) break
    if (down) y--
    else x--
  }
  return pairs.reverse()
}

/** Marks which lines go on in the other text. */
const compare = (
  old: ReadonlyArray<string>,
  now: ReadonlyArray<string>,
  whole: Stretch,
  pairs: Map<number, number>
) => {
  const waiting: Array<Stretch> = [whole]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    let [a, b, c, d] = next
    for (; a < b && c < d && old[a] === now[c]; a++, c++) pairs.set(a, c)
    for (; a < b && c < d && old[b - 1] === now[d - 1]; b--, d--) pairs.set(b - 1, d - 1)
    if (a === b || c === d) continue
    const unique = uniquePairs(old, now, [a, b, c, d])
    if (unique.length === 0) {
      for (const [x, y] of shortest(old, now, [a, b, c, d]) ?? []) pairs.set(a + x, c + y)
      continue
    }
    let [x, y] = [a, c]
    for (const [u, v] of [...unique, [b, d] as const]) {
      waiting.push([x, u, y, v])
      if (u < b) pairs.set(u, v)
      ;[x, y] = [u + 1, v + 1]
    }
  }
}

/** The changes from one text to another, in order. No two of them touch. */
export const changesOf = (old: ReadonlyArray<string>, now: ReadonlyArray<string>): ReadonlyArray<Change> => {
  const pairs = new Map<number, number>()
  compare(old, now, [0, old.length, 0, now.length], pairs)
  const changes: Array<Change> = []
  let [start, newStart] = [0, 0]
  for (let at = 0; at <= old.length; at++) {
    const other = at === old.length ? now.length : pairs.get(at)
    if (other === undefined) continue
    if (at > start || other > newStart) changes.push({ start, end: at, newStart, newEnd: other })
    ;[start, newStart] = [at + 1, other + 1]
  }
  return changes
}

/**
 * The same changes moved as far as they go: a run that was put in or taken out between equal lines could as well stand
 * further down (`way` 1) or up (-1). Where one meets another they become one.
 */
export const moved = (
  changes: ReadonlyArray<Change>,
  old: ReadonlyArray<string>,
  now: ReadonlyArray<string>,
  way: 1 | -1
): ReadonlyArray<Change> => {
  const done: Array<Change> = []
  const order = way === 1 ? [...changes].reverse() : changes
  for (const change of order) {
    let { end, newEnd, newStart, start } = change
    const next = done.at(-1)
    const isFree = () =>
      way === 1
        ? end < (next?.start ?? old.length) && newEnd < (next?.newStart ?? now.length)
        : start > (next?.end ?? 0) && newStart > (next?.newEnd ?? 0)
    const slides = () => {
      if (!isFree()) return false
      const lines = start === end ? now : newStart === newEnd ? old : null
      const [from, to] = lines === now ? [newStart, newEnd] : [start, end]
      return lines !== null && (way === 1 ? lines[from] === lines[to] : lines[from - 1] === lines[to - 1])
    }
    while (slides()) {
      start += way
      end += way
      newStart += way
      newEnd += way
    }
    const meets = next !== undefined && (way === 1 ? end === next.start : start === next.end)
    if (!meets) done.push({ start, end, newStart, newEnd })
    else if (way === 1) done[done.length - 1] = { start, end: next.end, newStart, newEnd: next.newEnd }
    else done[done.length - 1] = { start: next.start, end, newStart: next.newStart, newEnd }
  }
  return way === 1 ? done.reverse() : done
}
