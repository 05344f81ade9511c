/** Which words of a line are others than in the line that it stands for. */
import { diffWordsWithSpace } from "diff"
import type { Hunk, Line } from "./Patch.ts"
import { pairsOf } from "./Pairs.ts"

/** A piece of a line; `isOther` where the other line says something else. */
export interface Piece {
  readonly text: string
  readonly isOther: boolean
}

/** Lines that are longer, in characters, are shown without their words: no person reads such a line. */
const longestLine = 500

/** Where less of a line than this is the same, the whole line is another one. */
const leastAlike = 0.3

/** The pieces of each line of a hunk that has some; the others are shown plain. */
export type WordMarks = ReadonlyMap<Line, ReadonlyArray<Piece>>

const marked = (before: string, after: string): readonly [ReadonlyArray<Piece>, ReadonlyArray<Piece>] | null => {
  if (Math.max(before.length, after.length) > longestLine) return null
  const parts = diffWordsWithSpace(before, after)
  const alike = parts.reduce(
    (sum, { added, removed, value }) => (added || removed ? sum : sum + value.trim().length),
    0
  )
  if (alike < leastAlike * Math.max(before.trim().length, after.trim().length)) return null
  const side = (other: "added" | "removed"): ReadonlyArray<Piece> =>
    parts
      .filter((part) => !part[other])
      .map(({ added, removed, value }) => ({ text: value, isOther: added || removed }))
  return [side("added"), side("removed")]
}

/** The words of all hunks of a file. */
export const wordMarks = (hunks: ReadonlyArray<Hunk>): WordMarks => {
  const marks = new Map<Line, ReadonlyArray<Piece>>()
  for (const { lines } of hunks)
    for (const { left, right } of pairsOf(lines)) {
      if (left === null || right === null || left === right) continue
      const found = marked(left.text, right.text)
      if (found === null) continue
      marks.set(left, found[0])
      marks.set(right, found[1])
    }
  return marks
}
