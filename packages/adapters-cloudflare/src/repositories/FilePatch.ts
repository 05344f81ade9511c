/** What changed in one file, in git's unified form. Pure. */
import type { FileDiff } from "@pawl/core/project/Repositories"
import { utf8 } from "@pawl/core/primitives/Digest"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import { byteText, isBinary } from "./Bytes.ts"
import { type Change, changesOf, linesOf, moved } from "./LineDiff.ts"

/** A file before or after; `undefined` where it is not there. */
export interface Version {
  readonly id: string
  readonly executable: boolean
  readonly content: Uint8Array
}

/** A patch, each of whose characters is a byte (`textBytes`), with what it comes to. */
export interface FilePatch extends Omit<FileDiff, "patch"> {
  readonly text: string
  readonly isBinary: boolean
}

const context = 3
const none = "0".repeat(40)

const modeOf = ({ executable }: Version): string => (executable ? "100755" : "100644")

/** git writes names with a quote in quotes, and marks the end of those with a space. */
const named = (side: "a" | "b", path: string): string => {
  const name = byteText(utf8(`${side}/${path}`))
  return name.includes('"') ? `"${name.replaceAll('"', '\\"')}"` : name
}
const ended = (name: string): string => (name.includes(" ") ? `${name}\t` : name)

const header = (path: string, before: Version | undefined, after: Version | undefined): string => {
  const lines = [`diff --git ${named("a", path)} ${named("b", path)}`]
  if (before === undefined && after !== undefined) lines.push(`new file mode ${modeOf(after)}`)
  if (after === undefined && before !== undefined) lines.push(`deleted file mode ${modeOf(before)}`)
  const changesMode = before !== undefined && after !== undefined && before.executable !== after.executable
  if (changesMode) lines.push(`old mode ${modeOf(before)}`, `new mode ${modeOf(after)}`)
  if (before?.id !== after?.id) {
    const mode = before === undefined || after === undefined || changesMode ? "" : ` ${modeOf(after)}`
    lines.push(`index ${before?.id ?? none}..${after?.id ?? none}${mode}`)
  }
  return lines.map((line) => `${line}\n`).join("")
}

/** Changes that stand near each other are one hunk. */
const hunksOf = (changes: ReadonlyArray<Change>): ReadonlyArray<ReadonlyArray<Change>> => {
  const hunks: Array<Array<Change>> = []
  for (const change of changes) {
    const last = hunks.at(-1)
    const before = last?.at(-1)
    if (last === undefined || before === undefined || change.start - before.end > 2 * context) hunks.push([change])
    else last.push(change)
  }
  return hunks
}

const marked = (mark: string, lines: ReadonlyArray<string>): string =>
  lines.map((line) => (line.endsWith("\n") ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`)).join("")

const range = (start: number, count: number): string =>
  count === 1 ? `${start + 1}` : `${count === 0 ? start : start + 1},${count}`

/** The nearest line above that looks like the head of a function, as git shows it behind a hunk's ranges. */
const functionAbove = (old: ReadonlyArray<string>, start: number): string => {
  for (let at = start - 1; at >= 0; at--)
    if (/^[A-Za-z_$]/.test(old[at]!)) return ` ${old[at]!.slice(0, CloudflareLimits.hunkFunctionBytes).trimEnd()}`
  return ""
}

const hunkText = (hunk: ReadonlyArray<Change>, old: ReadonlyArray<string>, now: ReadonlyArray<string>): string => {
  const [first, last] = [hunk[0]!, hunk.at(-1)!]
  const above = Math.min(context, first.start)
  const below = Math.min(context, old.length - last.end)
  const [start, newStart] = [first.start - above, first.newStart - above]
  const [end, newEnd] = [last.end + below, last.newEnd + below]
  let text = `@@ -${range(start, end - start)} +${range(newStart, newEnd - newStart)} @@${functionAbove(old, start)}\n`
  let at = start
  for (const change of hunk) {
    text += marked(" ", old.slice(at, change.start))
    text += marked("-", old.slice(change.start, change.end)) + marked("+", now.slice(change.newStart, change.newEnd))
    at = change.end
  }
  return text + marked(" ", old.slice(at, end))
}

/** The patch of one file, of which one side may be absent. */
export const patchOf = (path: string, before: Version | undefined, after: Version | undefined): FilePatch => {
  const status = before === undefined ? "added" : after === undefined ? "deleted" : "modified"
  const head = header(path, before, after)
  const [from, to] = [
    before === undefined ? "/dev/null" : named("a", path),
    after === undefined ? "/dev/null" : named("b", path)
  ]
  const unchanged = { path, status, additions: 0, deletions: 0 } as const
  if (before?.id === after?.id) return { ...unchanged, text: head, isBinary: false }
  if ([before, after].some((version) => version !== undefined && isBinary(version.content)))
    return { ...unchanged, text: `${head}Binary files ${from} and ${to} differ\n`, isBinary: true }
  const [old, now] = [before, after].map((version) => linesOf(byteText(version?.content ?? new Uint8Array()))) as [
    ReadonlyArray<string>,
    ReadonlyArray<string>
  ]
  const changes = moved(changesOf(old, now), old, now, 1)
  const hunks = hunksOf(changes).map((hunk) => hunkText(hunk, old, now))
  const names = hunks.length === 0 ? "" : `--- ${ended(from)}\n+++ ${ended(to)}\n`
  return {
    path,
    status,
    additions: changes.reduce((sum, { newEnd, newStart }) => sum + newEnd - newStart, 0),
    deletions: changes.reduce((sum, { end, start }) => sum + end - start, 0),
    text: head + names + hunks.join(""),
    isBinary: false
  }
}
