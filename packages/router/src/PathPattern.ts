/**
 * Patterns of paths, as an app's `_headers`, `_redirects` and `run_worker_first` write them. Every match takes time in
 * proportion to the path: no regular expression of an app's making runs here, so none can keep the router busy.
 */
import { RouterLimits } from "./RouterLimits.ts"

/** What the placeholders of a pattern stood for; its `*` is `splat`. */
export type Values = Readonly<Record<string, string>>

/** `:name` parts of a segment between literals; the outer literals may be empty, the inner ones never are. */
interface Parts {
  readonly literals: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
}
type Segment = string | Parts

/** A pattern, taken apart into segments. */
export interface PathPattern {
  readonly separator: string
  readonly head: ReadonlyArray<Segment>
  /** The segment with the `*`: what stands before it and after it. Null for a pattern without one. */
  readonly splat: { readonly before: string; readonly after: string } | null
  readonly tail: ReadonlyArray<Segment>
}

const placeholder = /:([A-Za-z]\w*)/g

/** Whether a pattern has a `*` or a `:name`, so that it fits more than one path. */
export const isDynamic = (pattern: string): boolean => pattern.includes("*") || /:[A-Za-z]/.test(pattern)

/** Null for two placeholders side by side: where one ended and the other began would be a guess. */
const segmentOf = (text: string, names: Array<string>): Segment | null => {
  const literals: Array<string> = []
  const own: Array<string> = []
  let from = 0
  for (const match of text.matchAll(placeholder)) {
    literals.push(text.slice(from, match.index))
    own.push(match[1]!)
    from = match.index + match[0].length
  }
  if (own.length === 0) return text
  literals.push(text.slice(from))
  names.push(...own)
  return literals.slice(1, -1).includes("") ? null : { literals, names: own }
}

/** Reads a pattern, or says in words why it is none. */
export const compile = (text: string, separator: "/" | "." = "/"): PathPattern | { readonly problem: string } => {
  const texts = text.split(separator)
  const at = texts.findIndex((segment) => segment.includes("*"))
  if (text.split("*").length > 2) return { problem: "it has more than one *" }
  const names: Array<string> = at < 0 ? [] : ["splat"]
  const segments: Array<Segment> = []
  for (const [index, each] of texts.entries()) {
    if (index === at) continue
    const segment = segmentOf(each, names)
    if (segment === null) return { problem: "two placeholders stand side by side" }
    segments.push(segment)
  }
  if (new Set(names).size < names.length) return { problem: "a placeholder stands in it twice" }
  if (names.length > RouterLimits.assetRulePlaceholders)
    return { problem: `it has more than ${RouterLimits.assetRulePlaceholders} placeholders` }
  if (at < 0) return { separator, head: segments, splat: null, tail: [] }
  const [before = "", after = ""] = texts[at]!.split("*")
  if (isDynamic(before) || isDynamic(after)) return { problem: "a placeholder stands in the same segment as its *" }
  return { separator, head: segments.slice(0, at), splat: { before, after }, tail: segments.slice(at) }
}

/** The longest run for the first placeholder, then for the second: found from the right, where each literal stands last. */
const matchParts = ({ literals, names }: Parts, text: string, values: Record<string, string>): boolean => {
  const first = literals[0]!
  const last = literals.at(-1)!
  if (!text.startsWith(first) || !text.endsWith(last)) return false
  // A placeholder stands for one character or more.
  const least = first.length + 1
  let end = text.length - last.length
  for (let index = names.length - 1; index > 0; index--) {
    const literal = literals[index]!
    const latest = end - 1 - literal.length
    const found = latest < least ? -1 : text.lastIndexOf(literal, latest)
    if (found < least) return false
    values[names[index]!] = text.slice(found + literal.length, end)
    end = found
  }
  if (end < least) return false
  values[names[0]!] = text.slice(first.length, end)
  return true
}

const matchSegments = (
  pattern: ReadonlyArray<Segment>,
  segments: ReadonlyArray<string>,
  from: number,
  values: Record<string, string>
): boolean =>
  pattern.every((segment, index) => {
    const text = segments[from + index]!
    return typeof segment === "string" ? segment === text : matchParts(segment, text, values)
  })

/** What the placeholders stand for when the path fits; else null. `segments` is the path, split at the separator. */
export const match = (pattern: PathPattern, segments: ReadonlyArray<string>): Values | null => {
  const { head, separator, splat, tail } = pattern
  const rest = segments.length - tail.length
  if (splat === null ? segments.length !== head.length : rest <= head.length) return null
  const values: Record<string, string> = {}
  if (!matchSegments(head, segments, 0, values) || !matchSegments(tail, segments, rest, values)) return null
  if (splat === null) return values
  const middle = segments.slice(head.length, rest).join(separator)
  const { after, before } = splat
  if (middle.length < before.length + after.length || !middle.startsWith(before) || !middle.endsWith(after)) return null
  values["splat"] = middle.slice(before.length, middle.length - after.length)
  return values
}

/** Puts what was matched in the place of `:name`; a name that nothing was matched for stays as it is written. */
export const fill = (text: string, values: Values): string =>
  text.replace(placeholder, (whole, name: string) => (Object.hasOwn(values, name) ? values[name]! : whole))

/** Whether a path fits a pattern in which each `*` is any run of characters. */
export const globs = (glob: string, path: string): boolean => {
  const [first = "", ...others] = glob.split("*")
  const last = others.pop()
  if (last === undefined) return path === glob
  if (path.length < first.length + last.length || !path.startsWith(first) || !path.endsWith(last)) return false
  let from = first.length
  for (const literal of others) {
    const found = path.indexOf(literal, from)
    if (found < 0) return false
    from = found + literal.length
  }
  return from <= path.length - last.length
}
