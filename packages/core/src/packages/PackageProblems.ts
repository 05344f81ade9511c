/** Problems of packages as they are told: code, sentence, and place. At most `Limits.packageProblems` of one lock. */
import { Limits } from "../primitives/Limits.ts"
import { short } from "../primitives/ShortText.ts"
import type { PackageProblem } from "./PackageStore.ts"

/** Where something stands; null where it is not known. */
export interface PackageSpot {
  readonly file: string | null
  readonly line: number | null
}

/** One problem. */
export const packageProblem = (code: string, message: string, { file, line }: PackageSpot): PackageProblem => ({
  code,
  message,
  file,
  line
})

/** What a file calls something, in quotes and cut, so that nothing odd stands in a sentence as it is. */
export const quoted = (text: unknown): string => JSON.stringify(short(typeof text === "string" ? text : String(text)))

/** The first problems; the last says how many more there are. */
export const packageProblems = (problems: ReadonlyArray<PackageProblem>): ReadonlyArray<PackageProblem> => {
  if (problems.length <= Limits.packageProblems) return problems
  const rest = problems.length - Limits.packageProblems + 1
  const told = problems.slice(0, Limits.packageProblems - 1)
  return [
    ...told,
    { ...problems[0]!, code: "more_problems", message: `There are ${rest} more problems like these.`, line: null }
  ]
}

/** Finds the lines on which keys of a JSON text stand, asked for in the order of the text. */
export const keyLines = (text: string, from = 0): ((key: string) => number | null) => {
  let at = from
  let line = 1
  for (let end = text.indexOf("\n"); end >= 0 && end < from; end = text.indexOf("\n", end + 1)) line++
  return (key) => {
    const name = JSON.stringify(key)
    for (let found = text.indexOf(name, at); ; found = text.indexOf(name, found + 1)) {
      // What is not where it should be is not looked for again: the whole stays one way through the text.
      const end = found < 0 ? text.length : found
      for (let next = text.indexOf("\n", at); next >= 0 && next < end; next = text.indexOf("\n", next + 1)) line++
      at = end
      if (found < 0) return null
      if (/^\s{0,20}:/.test(text.slice(found + name.length, found + name.length + 21))) return line
    }
  }
}
