/**
 * Which lines of a file a side changed. Lines are matched from both ends and by what stands once in both texts; all else
 * counts as changed, so that no change is missed: at worst more lines count than a person would say.
 */

/** Lines of the base, counted from 0: from `from` on, before `to`. Equal: something was put in there, and nothing is gone. */
export interface Hunk {
  readonly from: number
  readonly to: number
}

interface Block {
  readonly base: readonly [from: number, to: number]
  readonly side: readonly [from: number, to: number]
}

type Lines = ReadonlyArray<string>

/** Where each line stands that stands there once. */
const onceIn = (lines: Lines, [from, to]: readonly [number, number]): ReadonlyMap<string, number> => {
  const places = new Map<string, number>()
  for (let at = from; at < to; at++) places.set(lines[at]!, places.has(lines[at]!) ? -1 : at)
  return places
}

/** The longest run of pairs that grows on both sides; the pairs come in the order of the first. */
const growing = (
  pairs: ReadonlyArray<readonly [number, number]>
): ReadonlyArray<readonly [base: number, side: number]> => {
  const ends: Array<number> = []
  const before: Array<number> = []
  for (const [index, [, side]] of pairs.entries()) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (pairs[ends[middle]!]![1] < side) low = middle + 1
      else high = middle
    }
    before[index] = low === 0 ? -1 : ends[low - 1]!
    ends[low] = index
  }
  const found: Array<readonly [number, number]> = []
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at]!) found.push(pairs[at]!)
  return found.reverse()
}

/** The block without the lines that are the same at its ends. */
const trimmed = (base: Lines, side: Lines, block: Block): Block => {
  let [[a, b], [c, d]] = [block.base, block.side]
  while (a < b && c < d && base[a] === side[c]) {
    a++
    c++
  }
  while (a < b && c < d && base[b - 1] === side[d - 1]) {
    b--
    d--
  }
  return { base: [a, b], side: [c, d] }
}

/** What lies between the lines of a block that are matched for certain; null when none is. */
const between = (base: Lines, side: Lines, block: Block): ReadonlyArray<Block> | null => {
  const own = onceIn(side, block.side)
  const pairs = [...onceIn(base, block.base)].flatMap(([line, at]) => {
    const there = own.get(line) ?? -1
    return at >= 0 && there >= 0 ? [[at, there] as const] : []
  })
  const anchors = growing(pairs)
  if (anchors.length === 0) return null
  const starts = [[block.base[0] - 1, block.side[0] - 1] as const, ...anchors]
  const ends = [...anchors, [block.base[1], block.side[1]] as const]
  return starts.map(([a, c], index) => ({ base: [a + 1, ends[index]![0]], side: [c + 1, ends[index]![1]] }))
}

/** What was put in or taken out may stand a few lines up or down with the same outcome: all of these places count. */
const slid = (base: Lines, side: Lines, { base: [a, b], side: [c, d] }: Block): Hunk => {
  if (a < b && c < d) return { from: a, to: b }
  let [up, down] = [0, 0]
  const isAdded = a === b
  while (a - up > 0 && base[a - 1 - up] === (isAdded ? side[d - 1 - up] : base[b - 1 - up])) up++
  while (b + down < base.length && base[b + down] === (isAdded ? side[c + down] : base[a + down])) down++
  return { from: a - up, to: b + down }
}

/** The lines of a text, each with its end: a last one that has none is another line than one that has it. */
export const linesIn = (text: string): Lines => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** What a side changed, in the lines of the base, from the first to the last. */
export const changedLines = (base: Lines, side: Lines): ReadonlyArray<Hunk> => {
  const hunks: Array<Hunk> = []
  const open: Array<Block> = [{ base: [0, base.length], side: [0, side.length] }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const block = trimmed(base, side, next)
    const [isBaseEmpty, isSideEmpty] = [block.base[0] === block.base[1], block.side[0] === block.side[1]]
    if (isBaseEmpty && isSideEmpty) continue
    const blocks = isBaseEmpty || isSideEmpty ? null : between(base, side, block)
    if (blocks === null) hunks.push(slid(base, side, block))
    else open.push(...blocks)
  }
  return hunks.toSorted((one, other) => one.from - other.from)
}
