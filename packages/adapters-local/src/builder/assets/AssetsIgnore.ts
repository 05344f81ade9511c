/**
 * `.assetsignore`: which files of the assets directory are not served, in the format of `.gitignore`. What a file may
 * make us compare is bounded, for whoever writes it is a stranger.
 */
import { LocalLimits } from "../../LocalLimits.ts"

interface Pattern {
  readonly segments: ReadonlyArray<string>
  readonly negated: boolean
  /** Matches folders alone. */
  readonly folder: boolean
}

/** The patterns ask for more comparisons than one build may take. */
class TooMuch extends Error {}

/** Counts down; every comparison of a character takes one. */
interface Budget {
  steps: number
}

const spend = (budget: Budget, steps = 1): void => {
  budget.steps -= steps
  if (budget.steps < 0) throw new TooMuch()
}

const patternOf = (raw: string): Pattern | null => {
  // Spaces at the end count only behind a backslash.
  let text = raw.replace(/\r$/, "").replace(/(?<!\\)\s+$/, "")
  if (text === "" || text.startsWith("#")) return null
  const negated = text.startsWith("!")
  if (negated) text = text.slice(1)
  const folder = text.endsWith("/")
  if (folder) text = text.slice(0, -1)
  const anchored = text.includes("/")
  const segments = text.replace(/^\//, "").split("/")
  return segments.every((segment) => segment === "")
    ? null
    : { segments: anchored ? segments : ["**", ...segments], negated, folder }
}

/** One place of a pattern: how long it is in the pattern, and whether it takes this character. */
const takes = (pattern: string, at: number, character: string, budget: Budget): number => {
  const here = pattern[at]
  if (here === "?") return 1
  if (here === "\\" && at + 1 < pattern.length) return pattern[at + 1] === character ? 2 : 0
  if (here !== "[") return here === character ? 1 : 0
  const end = pattern.indexOf("]", at + (pattern[at + 1] === "!" || pattern[at + 1] === "^" ? 3 : 2))
  spend(budget, (end < 0 ? pattern.length : end) - at)
  if (end < 0) return character === "[" ? 1 : 0
  const not = pattern[at + 1] === "!" || pattern[at + 1] === "^"
  const set = pattern.slice(at + (not ? 2 : 1), end)
  let found = false
  for (let index = 0; index < set.length; index++) {
    const range = set[index + 1] === "-" && index + 2 < set.length
    found ||= range ? set[index]! <= character && character <= set[index + 2]! : set[index] === character
    if (range) index += 2
  }
  return found === not ? 0 : end - at + 1
}

/** Whether a name fits a pattern without slashes: `*`, `?`, `[a-z]` and `\` as git has them. */
const fits = (pattern: string, name: string, budget: Budget): boolean => {
  let at = 0
  let index = 0
  let star = -1
  let mark = 0
  while (index < name.length) {
    spend(budget)
    const length = pattern[at] === "*" || at >= pattern.length ? 0 : takes(pattern, at, name[index]!, budget)
    if (length > 0) {
      at += length
      index++
    } else if (pattern[at] === "*") {
      star = at++
      mark = index
    } else if (star >= 0) {
      at = star + 1
      index = ++mark
    } else return false
  }
  while (pattern[at] === "*") at++
  return at >= pattern.length
}

/** Whether segments fit: `**` is any number of them, and at the end at least one. */
const matches = (
  pattern: ReadonlyArray<string>,
  path: ReadonlyArray<string>,
  budget: Budget,
  from = 0,
  at = 0
): boolean => {
  for (; from < pattern.length; from++, at++) {
    spend(budget)
    if (pattern[from] === "**") {
      if (from === pattern.length - 1) return at < path.length
      // Several in a row say no more than one, and would be tried in every combination.
      if (pattern[from + 1] === "**") return matches(pattern, path, budget, from + 1, at)
      for (let next = at; next < path.length; next++) if (matches(pattern, path, budget, from + 1, next)) return true
      return false
    }
    if (at >= path.length || !fits(pattern[from]!, path[at]!, budget)) return false
  }
  return at === path.length
}

/** The last pattern that fits decides; what is in an ignored folder stays ignored. */
const isIgnored = (patterns: ReadonlyArray<Pattern>, path: string, budget: Budget): boolean => {
  const segments = path.split("/")
  for (let length = 1; length <= segments.length; length++) {
    const part = segments.slice(0, length)
    const last = patterns.findLast(
      (pattern) => (!pattern.folder || length < segments.length) && matches(pattern.segments, part, budget)
    )
    if (last !== undefined && !last.negated) return true
  }
  return false
}

/** The paths that are not served; `null` when telling takes more than a build may. */
export const ignoredPaths = (text: string, paths: Iterable<string>): ReadonlySet<string> | null => {
  const patterns = text.split("\n").flatMap((line) => patternOf(line) ?? [])
  const budget: Budget = { steps: LocalLimits.assetsIgnoreSteps }
  const ignored = new Set<string>()
  try {
    for (const path of paths) if (isIgnored(patterns, path, budget)) ignored.add(path)
    return ignored
  } catch (error) {
    if (error instanceof TooMuch) return null
    throw error
  }
}
