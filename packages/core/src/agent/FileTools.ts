/** What an agent does with files: pure functions of an overlay, so that a run that goes on after a kill does them again. */
import { Result } from "effect"
import { Limits } from "../primitives/Limits.ts"
import { pathProblem, treeProblems } from "../project/Paths.ts"
import { type Edit, edited } from "./EditText.ts"
import { heldAt, listing, type Overlay, removed, shown, written } from "./Overlay.ts"

/** What a tool tells the model. */
export interface ToolAnswer {
  readonly text: string
  /** Nothing was done, and `text` says why. */
  readonly failed: boolean
}

/** What a tool made of the files, and what it tells. */
export interface FileAnswer extends ToolAnswer {
  readonly overlay: Overlay
}

/** What is wrong with the syntax of a text, with its line; null when nothing is, or when nobody can tell. */
export type SyntaxCheck = (path: string, text: string) => string | null

const told = (overlay: Overlay, text: string): FileAnswer => ({ overlay, text, failed: false })
const refused = (overlay: Overlay, text: string): FileAnswer => ({ overlay, text, failed: true })

const lines = (count: number): string => (count === 1 ? "1 line" : `${count} lines`)

/** Every line of a text. A line end at its end begins no other. */
const linesOf = (text: string): ReadonlyArray<string> => {
  const all = text.split("\n")
  if (all.at(-1) === "") all.pop()
  return all.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
}

/** All files below a folder, with their sizes in bytes. */
export const list = (overlay: Overlay, folder: string): FileAnswer => {
  const start = folder === "" || folder === "." ? "" : `${folder.replace(/\/+$/, "")}/`
  const all = listing(overlay).filter(({ path }) => path.startsWith(start))
  if (all.length === 0) return refused(overlay, `there are no files below ${folder}`)
  const rows = all.slice(0, Limits.agentListed).map(({ bytes, path }) => `${path} ${bytes}`)
  const more = all.length - rows.length
  return told(overlay, [...rows, ...(more > 0 ? [`and ${more} more: name a folder`] : [])].join("\n"))
}

/** The lines of a file from one on, each with its number; as many as fit. */
export const read = (overlay: Overlay, path: string, from: number): FileAnswer => {
  const held = heldAt(overlay, path)
  if (held._tag === "Missing") return refused(overlay, `there is no file ${path}`)
  if (held._tag === "Binary") return refused(overlay, `${path} is no text: ${held.bytes} bytes`)
  const all = linesOf(held.text)
  if (all.length === 0) return told(shown(overlay, path), `${path} is empty`)
  if (from > all.length) return refused(overlay, `${path} has ${lines(all.length)}`)
  const parts: Array<string> = []
  let chars = 0
  for (const [at, line] of all.slice(from - 1, from - 1 + Limits.agentReadLines).entries()) {
    const part = `${from + at} ${line.slice(0, Limits.agentReadChars)}`
    chars += part.length + 1
    if (chars > Limits.agentReadChars && parts.length > 0) break
    parts.push(part)
  }
  const last = from - 1 + parts.length
  if (last < all.length) parts.push(`(lines ${from} to ${last} of ${all.length})`)
  return told(shown(overlay, path), parts.join("\n"))
}

interface Matches {
  readonly path: string
  readonly shown: ReadonlyArray<string>
  readonly count: number
}

const matchesIn = (path: string, text: string, words: string): Matches => {
  const found = linesOf(text).flatMap((line, at) =>
    line.includes(words) ? [`${path}:${at + 1} ${line.trim().slice(0, Limits.agentSearchLineChars)}`] : []
  )
  return { path, shown: found, count: found.length }
}

/** The lines that hold some words, as they are: no pattern, for a pattern can hang. Files without room are counted. */
export const search = (overlay: Overlay, words: string): FileAnswer => {
  if (words === "" || words.includes("\n")) return refused(overlay, "search for words of one line")
  const matches = listing(overlay).flatMap(({ path }) => {
    const held = heldAt(overlay, path)
    const found = held._tag === "Text" && held.text.includes(words) ? matchesIn(path, held.text, words) : null
    return found === null || found.count === 0 ? [] : [found]
  })
  if (matches.length === 0) return told(overlay, "no file holds these words")
  const rows: Array<string> = []
  for (const match of matches) {
    const room = Limits.agentSearchMatches - rows.length
    rows.push(...match.shown.slice(0, Math.max(0, room)))
    if (match.count > room) rows.push(`${match.path}: ${match.count - Math.max(0, room)} more`)
    if (rows.length >= Limits.agentSearchMatches * 2) break
  }
  return told(overlay, rows.join("\n"))
}

/** Why a file cannot stand at a path, beside the others that are there; null when it can. */
const misplaced = (overlay: Overlay, path: string): string | null => {
  const problem = pathProblem(path)
  if (problem !== undefined) return `the path ${path.slice(0, Limits.agentSearchLineChars)} cannot be used: ${problem}`
  const clash = treeProblems([...listing(overlay).map((each) => each.path), path])
  return clash.length === 0 ? null : `${path} cannot stand here: ${clash[0]!.reason}`
}

/** Text that goes into the files, where nothing speaks against it. An error of syntax that was there before does not. */
const put = (
  overlay: Overlay,
  path: string,
  text: string,
  before: string | null,
  syntax: SyntaxCheck
): FileAnswer | null => {
  if (!overlay.edits.has(path) && overlay.edits.size >= Limits.changeSetFiles)
    return refused(overlay, `no more than ${Limits.changeSetFiles} files may be changed`)
  const problem = syntax(path, text)
  if (problem !== null && (before === null || syntax(path, before) === null))
    return refused(overlay, `${path} would have an error of syntax, so nothing was changed: ${problem}`)
  return null
}

/** An edit of a file that the agent has read. */
export const edit = (overlay: Overlay, path: string, wanted: Edit, syntax: SyntaxCheck): FileAnswer => {
  const held = heldAt(overlay, path)
  if (held._tag === "Missing") return refused(overlay, `there is no file ${path}: write makes one`)
  if (held._tag === "Binary") return refused(overlay, `${path} is no text`)
  if (!overlay.known.has(path)) return refused(overlay, `read ${path} first`)
  const made = edited(held.text, wanted)
  if (Result.isFailure(made)) return refused(overlay, `${path} was not changed: ${made.failure.reason}`)
  const { places, text } = made.success
  const against = put(overlay, path, text, held.text, syntax)
  if (against !== null) return against
  return told(
    written(overlay, path, text),
    places === 1 ? `${path} is changed` : `${path} is changed at ${places} places`
  )
}

/** A new file, or a short one anew. */
export const write = (overlay: Overlay, path: string, text: string, syntax: SyntaxCheck): FileAnswer => {
  const held = heldAt(overlay, path)
  if (held._tag === "Binary") return refused(overlay, `${path} is no text`)
  const before = held._tag === "Text" ? held.text : null
  if (before !== null) {
    if (!overlay.known.has(path)) return refused(overlay, `${path} is there: read it first`)
    const count = linesOf(before).length
    if (count > Limits.agentWriteLines)
      return refused(
        overlay,
        `${path} has ${lines(count)}: edit it, for only files of up to ${Limits.agentWriteLines} are written anew`
      )
  } else {
    const problem = misplaced(overlay, path)
    if (problem !== null) return refused(overlay, problem)
  }
  const against = put(overlay, path, text, before, syntax)
  if (against !== null) return against
  return told(written(overlay, path, text), `${path} is written: ${lines(linesOf(text).length)}`)
}

/** A file less. */
export const remove = (overlay: Overlay, path: string): FileAnswer =>
  heldAt(overlay, path)._tag === "Missing"
    ? refused(overlay, `there is no file ${path}`)
    : told(removed(overlay, path), `${path} is removed`)
