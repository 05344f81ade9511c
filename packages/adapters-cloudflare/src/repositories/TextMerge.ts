/**
 * The three-way merge of a text, by lines. What two sides did apart from each other is put together; where they touch,
 * both must have done the same. Programs pair repeated lines in their own ways, and may then put a line in another
 * place: so it is done with changes as far down as they go and as far up, and what differs between the two is a
 * conflict. Pure.
 */
import { sameBytes } from "@pawl/core/primitives/Digest"
import { byteText, isBinary, textBytes } from "./Bytes.ts"
import { type Change, changesOf, linesOf, moved } from "./LineDiff.ts"

/** Three versions of one text. */
export interface ThreeTexts {
  readonly base: Uint8Array
  readonly ours: Uint8Array
  readonly theirs: Uint8Array
}

type Lines = ReadonlyArray<string>

interface Side {
  readonly lines: Lines
  readonly changes: ReadonlyArray<Change>
}

/** What stands on a side in place of base lines `[start, end)`, which begin and end between its changes. */
const standing = ({ changes, lines }: Side, start: number, end: number): Lines => {
  let [from, to] = [start, end]
  for (const change of changes) {
    const grown = change.newEnd - change.newStart - (change.end - change.start)
    if (change.end < start) from += grown
    if (change.end <= end) to += grown
  }
  return lines.slice(from, to)
}

const equal = (one: Lines, other: Lines): boolean =>
  one.length === other.length && one.every((line, at) => line === other[at])

/** The lines of a merge; null for a conflict. */
const mergedLines = (base: Lines, ours: Side, theirs: Side): Lines | null => {
  const all = [
    ...ours.changes.map((change) => ({ change, side: ours })),
    ...theirs.changes.map((change) => ({ change, side: theirs }))
  ]
  all.sort((a, b) => a.change.start - b.change.start || a.change.end - b.change.end)
  const result: Array<string> = []
  let read = 0
  for (let at = 0; at < all.length;) {
    const start = all[at]!.change.start
    let end = all[at]!.change.end
    const sides = new Set<Side>()
    // Changes that touch are one region: nothing between them says that they are apart.
    for (; at < all.length && all[at]!.change.start <= end; at++) {
      end = Math.max(end, all[at]!.change.end)
      sides.add(all[at]!.side)
    }
    const [one, other] = [...sides].map((side) => standing(side, start, end))
    if (one === undefined || (other !== undefined && !equal(one, other))) return null
    result.push(...base.slice(read, start), ...one)
    read = end
  }
  return [...result, ...base.slice(read)]
}

const textLines = (bytes: Uint8Array): Lines | null => (isBinary(bytes) ? null : linesOf(byteText(bytes)))

/** The bytes of a merge; null for a conflict, and for what is no text. */
export const mergeText = ({ base, ours, theirs }: ThreeTexts): Uint8Array | null => {
  if (sameBytes(ours, theirs) || sameBytes(base, theirs)) return ours
  if (sameBytes(base, ours)) return theirs
  const [b, o, t] = [textLines(base), textLines(ours), textLines(theirs)]
  if (b === null || o === null || t === null) return null
  const [toOurs, toTheirs] = [changesOf(b, o), changesOf(b, t)]
  const [down, up] = ([1, -1] as const).map((way) =>
    mergedLines(b, { lines: o, changes: moved(toOurs, b, o, way) }, { lines: t, changes: moved(toTheirs, b, t, way) })
  )
  return down === null || down === undefined || up === null || up === undefined || !equal(down, up)
    ? null
    : textBytes(down.join(""))
}
