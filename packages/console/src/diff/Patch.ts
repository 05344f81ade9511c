/** A file's patch in git's unified form, read into hunks and lines. */

/** One line of a patch. The numbers are null where the side has no such line. */
export interface Line {
  readonly kind: "same" | "gone" | "new"
  readonly old: number | null
  readonly new: number | null
  readonly text: string
  /** It is the last of its file, and no newline ends it. */
  readonly isOpenEnd?: true
}

/** Lines that stand together. `place` is what git says of where: `@@ -1,2 +1,3 @@ function f`. */
export interface Hunk {
  readonly place: string
  readonly lines: ReadonlyArray<Line>
}

/** What a patch says. */
export interface Patch {
  /** Git's ids of the file before and after; null where the patch names none, as when only the mode is another. */
  readonly blobs: string | null
  /** Modes before and after, where they differ: `100644 → 100755`. */
  readonly mode: string | null
  readonly isBinary: boolean
  readonly hunks: ReadonlyArray<Hunk>
}

const hunkPlace = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/

const readHunk = (lines: ReadonlyArray<string>, from: number): { readonly hunk: Hunk; readonly end: number } => {
  const place = lines[from] ?? ""
  const [, old = "0", next = "0"] = hunkPlace.exec(place) ?? []
  let [oldAt, newAt] = [Number(old), Number(next)]
  const read: Array<Line> = []
  let at = from + 1
  for (; at < lines.length; at++) {
    const line = lines[at] ?? ""
    const sign = line.charAt(0)
    const text = line.slice(1)
    if (sign === " ") read.push({ kind: "same", old: oldAt++, new: newAt++, text })
    else if (sign === "-") read.push({ kind: "gone", old: oldAt++, new: null, text })
    else if (sign === "+") read.push({ kind: "new", old: null, new: newAt++, text })
    else if (sign === "\\") {
      const last = read.pop()
      if (last !== undefined) read.push({ ...last, isOpenEnd: true })
    } else break
  }
  return { hunk: { place, lines: read }, end: at }
}

const after = (head: ReadonlyArray<string>, begin: string): string | null =>
  head.find((line) => line.startsWith(begin))?.slice(begin.length) ?? null

/** Reads the patch of one file. The API answers an empty one for a binary file. */
export const readPatch = (text: string): Patch => {
  const lines = text.split("\n")
  const first = lines.findIndex((line) => hunkPlace.test(line))
  const head = first === -1 ? lines : lines.slice(0, first)
  const hunks: Array<Hunk> = []
  let at = first === -1 ? lines.length : first
  while (at < lines.length && hunkPlace.test(lines[at] ?? "")) {
    const { end, hunk } = readHunk(lines, at)
    hunks.push(hunk)
    at = end
  }
  const [oldMode, newMode] = [after(head, "old mode "), after(head, "new mode ")]
  return {
    blobs: after(head, "index ")?.split(" ")[0] ?? null,
    mode: oldMode === null || newMode === null ? null : `${oldMode} → ${newMode}`,
    isBinary: text === "" || head.some((line) => line.startsWith("Binary files ") || line === "GIT binary patch"),
    hunks
  }
}
