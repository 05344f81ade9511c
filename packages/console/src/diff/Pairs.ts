/** Which line stands for which: what was taken away, beside what came in its place. */
import type { Line } from "./Patch.ts"

/** A row of the split view. A side is null where the other has one line more. */
export interface Pair {
  readonly left: Line | null
  readonly right: Line | null
}

/** The lines of a hunk side by side: the first that is gone beside the first that is new, and so on. */
export const pairsOf = (lines: ReadonlyArray<Line>): ReadonlyArray<Pair> => {
  const pairs: Array<Pair> = []
  let gone: Array<Line> = []
  let fresh: Array<Line> = []
  const settle = () => {
    for (let at = 0; at < Math.max(gone.length, fresh.length); at++)
      pairs.push({ left: gone[at] ?? null, right: fresh[at] ?? null })
    ;[gone, fresh] = [[], []]
  }
  for (const line of lines) {
    if (line.kind === "gone") {
      if (fresh.length > 0) settle()
      gone.push(line)
    } else if (line.kind === "new") fresh.push(line)
    else {
      settle()
      pairs.push({ left: line, right: line })
    }
  }
  settle()
  return pairs
}
