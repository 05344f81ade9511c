/**
 * The frames of stacks within a text, as V8 writes them: `at name (module:line:column)`. Whoever wrote the text is a
 * stranger: it is gone through once, and at most so many frames of it are seen.
 */
import { LocalLimits } from "../../LocalLimits.ts"

/** One place that a frame names. Line and column are from 1 on. */
export interface Frame {
  /** Where `module:line:column` begins and ends in the text. */
  readonly from: number
  readonly to: number
  readonly module: string
  readonly line: number
  readonly column: number
}

/** What stands in the place of a frame's place. */
export interface Place {
  readonly source: string
  readonly line: number
  readonly column: number
}

const digitsBefore = (text: string, end: number, least: number): number => {
  let at = end
  while (at > least && at > end - 10 && text[at - 1]! >= "0" && text[at - 1]! <= "9") at--
  return at
}

/** The frame that ends a line; null for none. `from` is where what it names may begin. */
const frameAt = (text: string, from: number, end: number): Frame | null => {
  const to = text[end - 1] === ")" ? end - 1 : end
  const column = digitsBefore(text, to, from)
  if (column === to || text[column - 1] !== ":") return null
  const line = digitsBefore(text, column - 1, from)
  if (line === column - 1 || text[line - 1] !== ":") return null
  const open = to === end ? from : text.lastIndexOf("(", line - 1) + 1
  const asynchronous = text.startsWith("async ", open) ? "async ".length : 0
  const start = Math.max(open, from) + (to === end ? asynchronous : 0)
  const module = text.slice(start, line - 1)
  if (module === "" || module.length > LocalLimits.buildMapSourceLength) return null
  return {
    from: start,
    to,
    module,
    line: Number(text.slice(line, column - 1)),
    column: Number(text.slice(column, to))
  }
}

/** The first frames of a text, in their order. */
export const framesOf = (text: string): ReadonlyArray<Frame> => {
  const frames: Array<Frame> = []
  for (let start = 0; start < text.length && frames.length < LocalLimits.stackFrames;) {
    const next = text.indexOf("\n", start)
    const end = next < 0 ? text.length : next
    let at = start
    while (at < end && text[at] === " ") at++
    const frame = text.startsWith("at ", at) ? frameAt(text, at + "at ".length, end) : null
    if (frame !== null) frames.push(frame)
    start = end + 1
  }
  return frames
}

/** The text with the places of some of its frames in their stead; a frame without one stays as it is. */
export const placed = (text: string, frames: ReadonlyArray<Frame>, places: ReadonlyArray<Place | null>): string => {
  let [out, done] = ["", 0]
  for (const [index, { from, to }] of frames.entries()) {
    const place = places[index] ?? null
    if (place === null) continue
    out += `${text.slice(done, from)}${place.source}:${place.line}:${place.column}`
    done = to
  }
  return out + text.slice(done)
}
