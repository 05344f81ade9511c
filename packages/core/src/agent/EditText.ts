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
const apart = (places: ReadonlyArray<Place>): ReadonlyArray<Place> => {
  const kept: Array<Place> = []
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

/** Whole lines that are the same but for line ends and blanks before them. A text of blanks alone is looked for nowhere. */
const tolerantPlaces = (text: string, old: string): ReadonlyArray<Place> => {
  const wanted = chomped(old).split("\n").map(wordsOf)
  if (wanted.every((words) => words === "")) return []
  const lines = linesOf(text)
  const places: Array<Place> = []
  for (let at = 0; at + wanted.length <= lines.length; at++) {
    if (!wanted.every((words, below) => lines[at + below]!.words === words)) continue
    places.push({ from: lines[at]!.from, to: lines[at + wanted.length - 1]!.to })
  }
  return places
}

const endsLikeWindows = (text: string): boolean => /\r\n/.test(text) && !/(^|[^\r])\n/.test(text)

/** A text with the line ends of the file that it goes into. */
const inStyleOf = (text: string, file: string): string =>
  endsLikeWindows(file) ? text.replace(/\r?\n/g, "\r\n") : text

const replaced = (text: string, places: ReadonlyArray<Place>, by: string): string => {
  let made = ""
  let at = 0
  for (const { from, to } of places) {
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
  const exact = placesOf(text, edit.old)
  const places = exact.length > 0 ? exact : tolerantPlaces(text, edit.old)
  if (places.length === 0) return refused("missing", `it does not stand there; ${nearest(text, edit.old)}`)
  if (places.length > 1 && edit.all !== true) return ambiguous(text, places)
  // Whole lines were found without the end of the last: it stays, and the new words need none of their own.
  const wanted = exact.length > 0 || edit.old === chomped(edit.old) ? edit.new : chomped(edit.new)
  const kept = apart(places)
  const made = replaced(text, kept, inStyleOf(wanted, text))
  if (made === text) return refused("same", "the text would stay as it is")
  return Result.succeed({ text: made, places: kept.length })
}
