/**
 * How deeply a value is nested. Whoever walks one by recursion, as decoders and their messages do, needs it bounded
 * beforehand: 200,000 brackets are a small text and an overflowing stack.
 */
import { Limits } from "./Limits.ts"

/** What is wrong with a text or a value that is nested too deeply, in words. */
export const tooDeep = `it is nested deeper than ${Limits.jsonDepth} levels`

/** The end of a JSON string that begins at `start`: the index of its closing quote, or of the end of the text. */
const endOfString = (text: string, start: number): number => {
  let end = start
  for (;;) {
    end = text.indexOf('"', end + 1)
    if (end < 0) return text.length
    let slashes = 0
    while (text[end - 1 - slashes] === "\\") slashes++
    if (slashes % 2 === 0) return end
  }
}

/** Whether a text has no more of a bracket than may be open at once, strings counted too: found out without looking at each. */
const hasFew = (text: string, bracket: "[" | "{", most: number): boolean => {
  let count = 0
  for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) if (++count > most) return false
  return true
}

/** Whether a JSON text has lists and objects in each other beyond `Limits.jsonDepth`. It need not be JSON that parses. */
export const isTextTooDeep = (text: string): boolean => {
  const half = Limits.jsonDepth / 2
  if (hasFew(text, "{", half) && hasFew(text, "[", half)) return false
  const mark = /["[\]{}]/g
  let depth = 0
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    if (found[0] === '"') mark.lastIndex = endOfString(text, found.index) + 1
    else if (found[0] === "[" || found[0] === "{") depth++
    else depth--
    if (depth > Limits.jsonDepth) return true
  }
  return false
}

/** Whether a parsed value has lists and objects in each other beyond `Limits.jsonDepth`. It must not hold itself. */
export const isValueTooDeep = (value: unknown): boolean => {
  let level: ReadonlyArray<object> = typeof value === "object" && value !== null ? [value] : []
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > Limits.jsonDepth) return true
    const below: Array<object> = []
    for (const each of level)
      for (const part of Object.values(each)) if (typeof part === "object" && part !== null) below.push(part)
    level = below
  }
  return false
}
