/** The hunks of a file's patch, read: each has as many lines as its header counts, and nothing goes on behind it. */
import { Result } from "effect"
import { type Hunk, PatchMalformed } from "./Patch.ts"

/** How far a patch is read. Its last line is what stands behind the last line break: nothing. */
export interface Reading {
  readonly lines: ReadonlyArray<string>
  at: number
}

const header = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/

/** "\ No newline at end of file", in whichever language. */
const isMarker = (text: string | undefined): boolean => /^\\ .{9,}/.test(text ?? "")

/** One side of a hunk while it is read. */
interface Side {
  readonly lines: Array<string>
  /** Lines that are still to come. */
  left: number
  /** It came to the end of its file: nothing can follow. */
  isOver: boolean
}

const sideOf = (count: string | undefined): Side => ({ lines: [], left: Number(count ?? 1), isOver: false })

/** The line before was the last of its file, and has no end. */
const endWithout = (sides: ReadonlyArray<Side>): void => {
  for (const side of sides) {
    const last = side.lines.pop()
    if (last !== undefined) side.lines.push(last.slice(0, -1))
    side.isOver = true
  }
}

const counts = "mend the counts of its header, @@ -<line>,<lines before> +<line>,<lines after> @@"

/** Why a line cannot stand where it does; null when it can. */
const lineProblem = (text: string, sides: ReadonlyArray<Side>, isLast: boolean): string | null => {
  if (isLast) return `it ends before all the lines that its header counts: ${counts}`
  if (sides.length === 0)
    return `a line of a hunk begins with a blank, + or -, and this one with ${JSON.stringify(text[0])}`
  if (sides.some((side) => side.left === 0)) return `it has other lines than its header counts: ${counts}`
  return sides.some((side) => side.isOver) ? "a line follows the one that ends its file without a line break" : null
}

/** The hunk whose header is the next line. `file` and `number` say which it is. */
const hunkAt = (reading: Reading, file: string, number: number): Result.Result<Hunk, PatchMalformed> => {
  const refuse = (line: number, reason: string) =>
    Result.fail(new PatchMalformed({ file, hunk: number, line: line + 1, reason }))
  const { lines } = reading
  const top = reading.at
  const read = header.exec(lines[top] ?? "")
  if (read === null)
    return refuse(top, "its header cannot be read: it is @@ -<line>,<lines before> +<line>,<lines after> @@")
  const [, oldStart, oldCount, newStart, newCount] = read
  const [before, after] = [sideOf(oldCount), sideOf(newCount)]
  const sidesBy: Readonly<Record<string, ReadonlyArray<Side>>> = { " ": [before, after], "-": [before], "+": [after] }
  let [last, tail, changes]: [ReadonlyArray<Side>, number, number] = [[], 0, 0]
  for (reading.at++; before.left > 0 || after.left > 0; reading.at++) {
    const text = lines[reading.at] ?? ""
    if (last.length > 0 && isMarker(text)) {
      endWithout(last)
      last = []
      continue
    }
    // An empty line is an empty line that stays: some programs leave out its blank.
    const sides = sidesBy[text[0] ?? " "] ?? []
    const problem = lineProblem(text, sides, reading.at >= lines.length - 1)
    if (problem !== null) return refuse(reading.at, problem)
    for (const side of sides) {
      side.lines.push(`${text.slice(1)}\n`)
      side.left--
    }
    last = sides
    if (sides.length === 1) changes++
    tail = sides.length === 1 ? 0 : tail + 1
  }
  if (changes === 0) return refuse(top, "it changes nothing: leave it out")
  if (last.length > 0 && isMarker(lines[reading.at])) {
    endWithout(last)
    reading.at++
  }
  return Result.succeed({
    line: top + 1,
    oldStart: Number(oldStart),
    newStart: Number(newStart),
    before: before.lines,
    after: after.lines,
    hasTail: tail > 0
  })
}

/** Whether what stands behind a hunk looks like more of it: git would not read that, and nobody would see it missing. */
const goesOn = ({ at: behind, lines }: Reading): boolean => {
  let at = behind
  while (lines[at] === "") at++
  const text = lines[at] ?? ""
  if (text.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ") === true) return false
  // What `git format-patch` signs with.
  return text !== "-- " && /^[-+ \\]/.test(text)
}

/** All hunks of a file, as long as there is one. */
export const hunksAt = (reading: Reading, file: string): Result.Result<ReadonlyArray<Hunk>, PatchMalformed> =>
  Result.gen(function* () {
    const hunks: Array<Hunk> = []
    while (reading.lines[reading.at]?.startsWith("@@") === true) {
      hunks.push(yield* hunkAt(reading, file, hunks.length + 1))
      if (goesOn(reading))
        return yield* Result.fail(
          new PatchMalformed({
            file,
            hunk: hunks.length,
            line: reading.at + 1,
            reason: `it goes on behind the lines that its header counts: ${counts}`
          })
        )
    }
    return hunks
  })
