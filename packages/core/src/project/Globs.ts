/**
 * Globs of paths: `*` and `?` within a segment, `**` for any number of segments. Whoever wrote one may mean harm: a
 * match takes time in proportion to pattern and path, whatever they are.
 */
import { Schema } from "effect"
import { Limits } from "../primitives/Limits.ts"

/** A glob of `pawl.json`. What other tools read as braces, classes or exceptions is refused, so that nobody counts on it. */
export const Glob = Schema.String.pipe(
  Schema.minLength(1),
  Schema.maxLength(Limits.checkFilesLength),
  Schema.filter(
    (text) =>
      (!/[{}[\]\\]|^!|^\//.test(text) &&
        !text.split("/").some((part) => part === "" || part === "." || part === "..")) ||
      "a glob is a path from the root with *, ? and **; it has no braces, brackets, ! or leading /"
  )
)

/** Whether the text fits a pattern without slashes. Goes back to the last `*` alone: linear in pattern times text. */
const fitsSegment = (pattern: string, text: string): boolean => {
  let [p, t, star, mark] = [0, 0, -1, 0]
  while (t < text.length) {
    const wanted = pattern[p]
    if (wanted === "*") {
      star = p++
      mark = t
    } else if (wanted === "?" || wanted === text[t]) {
      p++
      t++
    } else if (star >= 0) {
      p = star + 1
      t = ++mark
    } else return false
  }
  while (pattern[p] === "*") p++
  return p === pattern.length
}

/** Whether a path fits a glob. */
export const fits = (glob: string, path: string): boolean => {
  const parts = path.split("/")
  // Which numbers of segments the pattern read so far may have taken.
  let reached = new Set([0])
  for (const wanted of glob.split("/")) {
    const next = new Set<number>()
    if (wanted === "**") {
      const first = Math.min(...reached)
      for (let at = first; at <= parts.length; at++) next.add(at)
    } else
      for (const at of reached) {
        const part = parts[at]
        if (part !== undefined && fitsSegment(wanted, part)) next.add(at + 1)
      }
    if (next.size === 0) return false
    reached = next
  }
  return reached.has(parts.length)
}
