/**
 * Where the hunks of a patch stand in a text, and the text after them. A hunk stands where its header says, counted on
 * by the hunks before; else at the only other place that has its lines, all of them, character for character.
 */
import { Result } from "effect"
import { short } from "../primitives/ShortText.ts"
import type { Hunk } from "./Patch.ts"

/** Why a hunk stands nowhere. */
export interface Placeless {
  /** Which it is, from 1. */
  readonly number: number
  readonly hunk: Hunk
  readonly reason: string
}

/** Comparisons of lines that are left for looking for hunks that are not where they should be. */
export interface Patience {
  left: number
}

/** Lines with their ends; the last one may have none. */
const linesOf = (text: string): ReadonlyArray<string> => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Lines as numbers, the same for the same line: comparing long ones again and again is slow. */
const numbering = () => {
  const known = new Map<string, number>()
  return (line: string): number => {
    const number = known.get(line) ?? known.size
    if (number === known.size) known.set(line, number)
    return number
  }
}

type Numbers = ReadonlyArray<number>

/** How many lines of a hunk are at a place, from its first one on. */
const fitting = (all: Numbers, wanted: Numbers, at: number): number => {
  const misfit = wanted.findIndex((line, index) => all[at + index] !== line)
  return misfit < 0 ? wanted.length : misfit
}

const fits = (all: Numbers, wanted: Numbers, at: number): boolean =>
  at >= 0 && at + wanted.length <= all.length && fitting(all, wanted, at) === wanted.length

/** All places, or null when looking takes too long. */
const placesOf = (all: Numbers, wanted: Numbers, patience: Patience): ReadonlyArray<number> | null => {
  const places: Array<number> = []
  for (let at = 0; at + wanted.length <= all.length; at++) {
    const count = fitting(all, wanted, at)
    patience.left -= count + 1
    if (patience.left < 0) return null
    if (count === wanted.length) places.push(at)
  }
  return places
}

const anew = "make the patch anew from the file as it is there, or send the file whole in files"

const shown = (line: string | undefined): string =>
  line === undefined ? "the file is over" : JSON.stringify(short(line.replace(/\n$/, "")))

/** What stands where a hunk should. */
const misfitWords = (lines: ReadonlyArray<string>, { before }: Hunk, place: number): string => {
  const at = Math.max(place, 0)
  const index = before.findIndex((line, offset) => lines[at + offset] !== line)
  const [wanted, there] = [before[index], lines[at + index]]
  const ends = wanted !== undefined && there !== undefined && wanted.replace(/\n$/, "") === there.replace(/\n$/, "")
  if (ends) return `line ${at + index + 1} of the file has ${there.endsWith("\n") ? "a" : "no"} line break at its end`
  return `at line ${at + index + 1} of the file it has ${shown(wanted)}, and there is ${shown(there)}`
}

/** What is left of a text behind the hunks that have their places. */
interface Rest {
  readonly lines: ReadonlyArray<string>
  readonly all: Numbers
  /** Where it begins. */
  readonly from: number
  /** How many lines more there are by the hunks before. */
  readonly more: number
}

/** A place, or why there is none. */
type Found = number | string

const outOfOrder = "it stands before the hunk in front of it: put the hunks in the order of the file"

/** Of a hunk whose lines are elsewhere than its header says. */
const foundElsewhere = (rest: Rest, hunk: Hunk, wanted: Numbers, stated: number, patience: Patience): Found => {
  const places = placesOf(rest.all, wanted, patience)
  if (places === null) return `its lines are not where it says, and looking for them takes too long: ${anew}`
  const [place, another] = places
  if (place === undefined) return `${misfitWords(rest.lines, hunk, stated)}: ${anew}`
  if (another !== undefined)
    return `its lines are not where it says, and stand at lines ${places
      .slice(0, 3)
      .map((at) => at + 1)
      .join(", ")}${places.length > 3 ? " and more" : ""}: give it more of the lines around`
  return place < rest.from ? outOfOrder : place
}

/** The place of a hunk in what is left. Without lines behind its change it stands at the end, as git has it. */
const placeOf = (rest: Rest, hunk: Hunk, wanted: Numbers, patience: Patience): Found => {
  const { all, from, lines, more } = rest
  const stated = Math.max(hunk.newStart - 1, 0) - more
  const end = all.length - wanted.length
  const isFirst = hunk.oldStart <= 1
  if (isFirst || !hunk.hasTail) {
    const at = isFirst ? 0 : end
    if (from > at || (isFirst && from > 0)) return outOfOrder
    // What adds lines and shows none that are there fits everywhere.
    if (wanted.length === 0 && all.length > 0 && at !== stated)
      return "it shows no line that is there already: give it lines around its change"
    const isInside = !hunk.hasTail && fits(all, wanted, isFirst ? at : stated)
    if (fits(all, wanted, at) && (hunk.hasTail || at === end)) return at
    return isInside
      ? "no line stands behind its change, so it must be at the end of the file: give it the lines that follow"
      : `${misfitWords(lines, hunk, at)}: ${anew}`
  }
  if (stated >= from && fits(all, wanted, stated)) return stated
  return foundElsewhere(rest, hunk, wanted, stated, patience)
}

/** The text after all hunks, or the first of them that has no place. */
export const patchedText = (
  text: string,
  hunks: ReadonlyArray<Hunk>,
  patience: Patience
): Result.Result<string, Placeless> => {
  const numberOf = numbering()
  const lines = linesOf(text)
  const all = lines.map(numberOf)
  const pieces: Array<ReadonlyArray<string>> = []
  let [from, more] = [0, 0]
  for (const [index, hunk] of hunks.entries()) {
    const found =
      index > 0 && hunk.oldStart <= 1
        ? outOfOrder
        : placeOf({ lines, all, from, more }, hunk, hunk.before.map(numberOf), patience)
    if (typeof found === "string") return Result.fail({ number: index + 1, hunk, reason: found })
    pieces.push(lines.slice(from, found), hunk.after)
    from = found + hunk.before.length
    more += hunk.after.length - hunk.before.length
  }
  pieces.push(lines.slice(from))
  return Result.succeed(pieces.map((piece) => piece.join("")).join(""))
}
