/** A unified diff of one file, as the memory layers make it: one hunk around all that differs, without a search for the shortest. */
import { wholeText } from "@pawl/core/primitives/Utf8"
import type { FileDiff } from "@pawl/core/project/Repositories"

const context = 3

/** The lines of a text file, each with its newline; `undefined` for a binary one. */
const linesOf = (content: Uint8Array | undefined): ReadonlyArray<string> | undefined => {
  if (content === undefined || content.length === 0) return []
  if (content.includes(0)) return undefined
  const text = wholeText(content)
  return text === null ? undefined : (text.match(/[^\n]*\n|[^\n]+$/g) ?? [])
}

const range = (start: number, count: number): string =>
  count === 1 ? `${start + 1}` : `${count === 0 ? start : start + 1},${count}`

const marked = (mark: string, lines: ReadonlyArray<string>): string =>
  lines.map((line) => (line.endsWith("\n") ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`)).join("")

const header = (path: string, before: Uint8Array | undefined, after: Uint8Array | undefined): string =>
  `diff --git a/${path} b/${path}\n` +
  (before === undefined ? "new file mode 100644\n" : after === undefined ? "deleted file mode 100644\n" : "")

/** What changed in one file, of which one side may be absent. */
export const fileDiff = (path: string, before: Uint8Array | undefined, after: Uint8Array | undefined): FileDiff => {
  const status = before === undefined ? "added" : after === undefined ? "deleted" : "modified"
  const [from, to] = [linesOf(before), linesOf(after)]
  if (from === undefined || to === undefined) return { path, status, additions: 0, deletions: 0, patch: "" }
  let start = 0
  while (start < from.length && start < to.length && from[start] === to[start]) start++
  let end = 0
  while (end < from.length - start && end < to.length - start && from.at(-1 - end) === to.at(-1 - end)) end++
  const removed = from.slice(start, from.length - end)
  const added = to.slice(start, to.length - end)
  const head = from.slice(Math.max(0, start - context), start)
  const tail = from.slice(from.length - end, from.length - end + context)
  const first = start - head.length
  const around = head.length + tail.length
  const hunk =
    removed.length + added.length === 0
      ? ""
      : `--- ${before === undefined ? "/dev/null" : `a/${path}`}\n+++ ${after === undefined ? "/dev/null" : `b/${path}`}\n` +
        `@@ -${range(first, around + removed.length)} +${range(first, around + added.length)} @@\n` +
        marked(" ", head) +
        marked("-", removed) +
        marked("+", added) +
        marked(" ", tail)
  return { path, status, additions: added.length, deletions: removed.length, patch: header(path, before, after) + hunk }
}
