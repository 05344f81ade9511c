/**
 * A script says many words again and again: statuses, kinds and tags. One that is said often gets a name, which the
 * minifier makes short; packed it is smaller too.
 */
import { type Cut, type Part, partsIn, statementsOf, withCuts } from "./SyntaxParts.ts"

/** How long a name is at most, once it is short. */
const nameLength = 3

/** What no other name begins with. */
const prefix = "word$"

/** Where a word must stand as it is: the name of a field, of a module, or a directive. */
const standsAsItIs = (part: Part, within: Part): boolean =>
  (within.key === part && within.computed !== true) ||
  within.type === "ImportExpression" ||
  within.type === "ExpressionStatement"

const collect = (part: Part, within: Part, found: Map<string, Array<Part>>): void => {
  if (part.type === "Literal" && typeof part.value === "string" && !standsAsItIs(part, within)) {
    const places = found.get(part.value)
    if (places === undefined) found.set(part.value, [part])
    else places.push(part)
  }
  for (const each of partsIn(part)) collect(each, part, found)
}

/** Whether a name is shorter than the word with its quotes in as many places, with what the name costs once. */
const isWorthIt = (length: number, places: number): boolean =>
  length * places > nameLength * places + length + nameLength + ",=".length

/** The bundle, whose names must not be made short yet. Throws where one begins as those made here. */
export const withNamedWords = (code: string): string => {
  if (code.includes(prefix)) throw new Error(`a name of the bundle begins with ${prefix}`)
  const found = new Map<string, Array<Part>>()
  for (const statement of statementsOf("bundle.js", code))
    if (!/^(?:Import|Export)/.test(statement.type)) collect(statement, statement, found)
  const often = [...found.values()].filter(([first, ...rest]) =>
    first === undefined ? false : isWorthIt(first.end - first.start, rest.length + 1)
  )
  const named = often.flatMap(([first]) => (first === undefined ? [] : [code.slice(first.start, first.end)]))
  const cuts = often.flatMap((places, at) =>
    // Apart from what stands beside it, as quotes are.
    places.map(({ end, start }): Cut => ({ from: start, to: end, by: ` ${prefix}${at} ` }))
  )
  return named.length === 0
    ? code
    : `var ${named.map((word, at) => `${prefix}${at} = ${word}`).join(", ")};\n${withCuts(code, cuts)}`
}
