/**
 * One edit of a text by the words that it replaces. They must stand there exactly and once; where they do not, a second
 * look forgives line ends and blanks at the ends of lines, and nothing else. What is not certain is refused with what
 * stands there instead, so that no edit lands where it was not meant.
 */
import { Result } from "effect"
import { Limits } from "../primitives/Limits.ts"

/** An edit as a model asks for it. */
export interface Edit {
  /** What stands there now. */
  readonly old: string
  /** What shall stand there. */
  readonly new: string
  /** Every place where it stands; else it must stand there once. */
  readonly all?: boolean
}

/** The text afterwards. */
export interface Edited {
  readonly text: string
  /** How many places were changed. */
  readonly places: number
}

/** Why nothing was changed, in words for a model. */
export interface EditRefusal {
  readonly code: "empty" | "same" | "missing" | "ambiguous"
  readonly reason: string
}

/** From a first character to before a last one. */
interface Place {
  readonly from: number
  readonly to: number
}

/** All places of a text, also those that overlap. */
const placesOf = (text: string, old: string): ReadonlyArray<Place> => {
  const places: Array<Place> = []
  for (let at = text.indexOf(old); at !== -1; at = text.indexOf(old, at + 1))
    places.push({ from: at, to: at + old.length })
  return places
}

/** Without those that begin inside the one before. */
const apart = (places: ReadonlyArray<Replacement>): ReadonlyArray<Replacement> => {
  const kept: Array<Replacement> = []
  for (const place of places) if (place.from >= (kept.at(-1)?.to ?? 0)) kept.push(place)
  return kept
}

interface Line extends Place {
  /** Without its end, and without blanks before it. */
  readonly words: string
}

const wordsOf = (line: string): string => line.replace(/[ \t\r]+$/, "")

const linesOf = (text: string): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  for (let from = 0; from < text.length;) {
    const end = text.indexOf("\n", from)
    const to = end === -1 ? text.length : end
    lines.push({
      from,
      to: text[to - 1] === "\r" && to > from && end !== -1 ? to - 1 : to,
      words: wordsOf(text.slice(from, to))
    })
    if (end === -1) break
    from = end + 1
  }
  return lines
}

/** A text without its last line end. */
const chomped = (text: string): string => text.replace(/\r?\n$/, "")

/** Lines that an edit takes, without their ends. */
const split = (text: string): ReadonlyArray<string> => text.split("\n").map((line) => line.replace(/\r$/, ""))

/** A place, and what stands there afterwards. */
interface Replacement extends Place {
  readonly by: string
}

/** What lines of a file become. Those that the edit leaves as they are keep their own blanks and line ends. */
const remade = (text: string, lines: ReadonlyArray<Line>, old: ReadonlyArray<string>, by: string): string => {
  const made = split(by)
  const most = Math.min(old.length, made.length)
  let head = 0
  while (head < most && old[head] === made[head]) head++
  let tail = 0
  while (tail < most - head && old.at(-1 - tail) === made.at(-1 - tail)) tail++
  const ends = inStyleOf("\n", text)
  return made
    .map((line, at) => {
      const isLast = at === made.length - 1
      const own = at < head ? lines[at] : at >= made.length - tail ? lines[at - made.length + lines.length] : undefined
      if (own === undefined) return isLast ? line : `${line}${ends}`
      const next = lines[lines.indexOf(own) + 1]
      return `${text.slice(own.from, own.to)}${isLast ? "" : next === undefined ? ends : text.slice(own.to, next.from)}`
    })
    .join("")
}

/** Whole lines that are the same but for line ends and blanks before them. A text of blanks alone is looked for nowhere. */
const tolerant = (text: string, edit: Edit): ReadonlyArray<Replacement> => {
  const old = split(chomped(edit.old))
  const wanted = old.map(wordsOf)
  if (wanted.every((words) => words === "")) return []
  // Whole lines are found without the end of the last: it stays, and the new words need none of their own.
  const by = edit.old === chomped(edit.old) ? edit.new : chomped(edit.new)
  const isGone = edit.new === "" && edit.old !== chomped(edit.old)
  const lines = linesOf(text)
  const places: Array<Replacement> = []
  for (let at = 0; at + wanted.length <= lines.length; at++) {
    if (!wanted.every((words, below) => lines[at + below]!.words === words)) continue
    const found = lines.slice(at, at + wanted.length)
    // Where whole lines are to go, their last end goes too.
    const to = isGone ? (lines[at + wanted.length]?.from ?? text.length) : found.at(-1)!.to
    places.push({ from: found[0]!.from, to, by: isGone ? "" : remade(text, found, old, by) })
  }
  return places
}

const ends = (text: string): "windows" | "plain" | "mixed" => {
  const [windows, plain] = [/\r\n/.test(text), /(^|[^\r])\n/.test(text)]
  return windows === plain ? "mixed" : windows ? "windows" : "plain"
}

/** A text with the line ends of the file that it goes into, where that has one kind of them. */
const inStyleOf = (text: string, file: string): string => {
  const style = ends(file)
  return style === "mixed" ? text : text.replace(/\r?\n/g, style === "windows" ? "\r\n" : "\n")
}

const replaced = (text: string, places: ReadonlyArray<Replacement>): string => {
  let made = ""
  let at = 0
  for (const { by, from, to } of places) {
    made += text.slice(at, from) + by
    at = to
  }
  return made + text.slice(at)
}

/** The number of the line that a character stands in, from 1. */
const lineAt = (text: string, at: number): number => text.slice(0, at).split("\n").length

const refused = (code: EditRefusal["code"], reason: string): Result.Result<never, EditRefusal> =>
  Result.fail({ code, reason })

const ambiguous = (text: string, places: ReadonlyArray<Place>) => {
  const shown = places.slice(0, Limits.editPlacesShown).map(({ from }) => lineAt(text, from))
  const more = places.length > shown.length ? ", …" : ""
  return refused(
    "ambiguous",
    `it stands there ${places.length} times, at lines ${shown.join(", ")}${more}: take more lines around it, or say all`
  )
}

const pairsOf = (line: string): ReadonlyMap<string, number> => {
  const pairs = new Map<string, number>()
  const words = line.trim().slice(0, Limits.editLineCompared)
  for (let at = 0; at + 1 < words.length; at++) {
    const pair = words.slice(at, at + 2)
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  return pairs
}

/** How alike two lines are, from 0 to 1: twice the pairs of letters that they share, of all that they have. */
const likeness = (wanted: ReadonlyMap<string, number>, line: string): number => {
  const pairs = pairsOf(line)
  let shared = 0
  let all = 0
  for (const count of wanted.values()) all += count
  for (const [pair, count] of pairs) {
    all += count
    shared += Math.min(count, wanted.get(pair) ?? 0)
  }
  return all === 0 ? 0 : (2 * shared) / all
}

/** The lines around the one that is most like the first of the words looked for, each with its number. */
const nearest = (text: string, old: string): string => {
  const lines = text.split("\n")
  const wanted = pairsOf(old.split("\n").find((line) => line.trim() !== "") ?? "")
  let best = 0
  let most = 0
  for (const [at, line] of lines.entries()) {
    const alike = likeness(wanted, line)
    if (alike > most) [best, most] = [at, alike]
  }
  if (most === 0) return "nothing like it stands there"
  const from = Math.max(0, best - Limits.editLinesAround)
  const around = lines.slice(from, best + Limits.editLinesAround + 1)
  return `nearest to it is:\n${around.map((line, at) => `${from + at + 1} ${line.slice(0, Limits.editLineCompared)}`).join("\n")}`
}

/** The text with an edit, or why it has none. */
export const edited = (text: string, edit: Edit): Result.Result<Edited, EditRefusal> => {
  if (edit.old === "") return refused("empty", "`old` is empty: write the file, or take the line beside the new one")
  if (edit.old === edit.new) return refused("same", "`old` and `new` are the same")
  const by = inStyleOf(edit.new, text)
  const exact = placesOf(text, edit.old).map((place) => ({ ...place, by }))
  const places = exact.length > 0 ? exact : tolerant(text, edit)
  if (places.length === 0) return refused("missing", `it does not stand there; ${nearest(text, edit.old)}`)
  if (places.length > 1 && edit.all !== true) return ambiguous(text, places)
  const kept = apart(places)
  const made = replaced(text, kept)
  if (made === text) return refused("same", "the text would stay as it is")
  return Result.succeed({ text: made, places: kept.length })
}
