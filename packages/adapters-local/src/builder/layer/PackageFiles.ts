/** What a package.json says of the package's own files: what stands for what in a browser, and which do nothing by themselves. */
import type { PackageFields } from "../bundler/TreePaths.ts"

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const withoutExtension = (path: string): string => path.replace(/\.[^./]+$/, "")

/**
 * What the `browser` field puts in the place of a file (`./lib/a.js`) or a package: another one, or `false` for nothing.
 * `undefined` when it says nothing of it.
 */
export const browserInstead = (fields: PackageFields | undefined, name: string): string | false | undefined => {
  const browser = fields?.["browser"]
  if (!isMap(browser)) return undefined
  const bare = withoutExtension(name)
  const names = name.startsWith("./")
    ? [name, bare, name.slice(2), bare.slice(2), ...(bare.endsWith("/index") ? [bare.slice(0, -"/index".length)] : [])]
    : [name]
  for (const one of names) {
    const value = Object.hasOwn(browser, one) ? browser[one] : undefined
    if (typeof value === "string" && value !== one) return value
    if (value === false) return false
  }
  return undefined
}

/** Whether a text is matched by a pattern whose `*` is any run of what `any` allows. It never looks back twice. */
const matchesBy = <A>(pattern: ReadonlyArray<A>, text: ReadonlyArray<A>, star: A, fits: (a: A, b: A) => boolean) => {
  let [at, from, mark, back] = [0, 0, -1, 0]
  while (from < text.length) {
    const here = pattern[at]
    if (here !== undefined && here === star) {
      mark = at++
      back = from
    } else if (here !== undefined && fits(here, text[from]!)) {
      at++
      from++
    } else if (mark >= 0) {
      at = mark + 1
      from = ++back
    } else return false
  }
  while (at < pattern.length && pattern[at] === star) at++
  return at === pattern.length
}

const segmentFits = (pattern: string, segment: string): boolean =>
  matchesBy([...pattern], [...segment], "*", (a, b) => a === b || a === "?")

/** Whether a file of a package (`lib/a.js`) may do something by being imported alone, as its `sideEffects` say. */
export const hasSideEffects = (fields: PackageFields | undefined, file: string): boolean => {
  const said = fields?.["sideEffects"]
  if (said === false) return false
  if (!Array.isArray(said)) return true
  return said.some((pattern) => {
    if (typeof pattern !== "string") return true
    const own = pattern.replace(/^\.?\//, "")
    const anchored = pattern.includes("/") ? own : `**/${own}`
    return matchesBy(anchored.split("/"), file.split("/"), "**", segmentFits)
  })
}
