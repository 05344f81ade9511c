/**
 * Globs of paths: `*` and `?` within a segment, `**` for any number of segments. Whoever wrote one may mean harm: a
 * match takes time in proportion to pattern and path, whatever they are.
 */
import { Schema } from "effect"
import { Limits } from "../primitives/Limits.ts"

/** A glob of `pawl.json`. What other tools read as braces, classes or exceptions is refused, so that nobody counts on it. */
export const Glob = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(Limits.checkFilesLength),
  Schema.makeFilter(
    (text) =>
      (!/[{}[\]\\]|^!|^\//.test(text) &&
        !text.split("/").some((part) => part === "" || part === "." || part === "..")) ||
      "a glob is a path from the root with *, ? and **; it has no braces, brackets, ! or leading /"
  ),
  Schema.makeFilter(
    (text) => text.split("/").length <= Limits.globSegments || `a glob has at most ${Limits.globSegments} segments`
  )
)

/** Whether the whole text fits a pattern, where `*` is any run of characters and `?` any one. Goes back to the last `*` alone: linear in pattern times text. */
export const fitsText = (pattern: string, text: string): boolean => {
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

const isPlain = (text: string): boolean => !/[*?]/.test(text)

/** A name with `**` before or behind it, and a name alone, are what most globs are: told without looking at segments. */
const fitsSimply = (glob: string, path: string): boolean | null => {
  if (isPlain(glob)) return glob === path
  const [inside, anywhere] = [glob.slice(0, -2), glob.slice(3)]
  if (glob.endsWith("/**") && isPlain(inside)) return path.startsWith(inside) || path === inside.slice(0, -1)
  return glob.startsWith("**/") && isPlain(anywhere) ? path === anywhere || path.endsWith(`/${anywhere}`) : null
}

/** Whether a path fits a glob. What has too many segments to be matched fits nothing but its own name. */
export const fitsGlob = (glob: string, path: string): boolean => {
  const simply = fitsSimply(glob, path)
  if (simply !== null) return simply
  const [wants, parts] = [glob.split("/"), path.split("/")]
  if (wants.length > Limits.globSegments || parts.length > Limits.globPathSegments) return false
  // Which numbers of segments the pattern read so far may have taken.
  let reached = new Set([0])
  for (const wanted of wants) {
    const next = new Set<number>()
    if (wanted === "**") for (let at = Math.min(...reached); at <= parts.length; at++) next.add(at)
    else
      for (const at of reached) {
        const part = parts[at]
        if (part !== undefined && fitsText(wanted, part)) next.add(at + 1)
      }
    if (next.size === 0) return false
    reached = next
  }
  return reached.has(parts.length)
}
