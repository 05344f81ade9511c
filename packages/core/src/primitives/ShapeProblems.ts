/** What is wrong with a value from outside, in words: where, and what was expected. */
import { type Schema, SchemaIssue } from "effect"

/** One thing that is wrong. An empty path is the value itself. */
export interface ShapeProblem {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

const words = (issue: SchemaIssue.Leaf): string => {
  if (issue._tag === "MissingKey") return "is missing"
  if (issue._tag === "UnexpectedKey") return "is unexpected"
  return SchemaIssue.defaultLeafHook(issue)
}

const formatter = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: words })

/** Options of a decoder whose problems are told: the words name the value that was found. */
export const telling = { reportInput: true } as const

const names: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "true or false",
  number: "a number",
  object: "an object",
  string: "a string"
}

/** Types in words. What may be left out is `undefined` in a type, which nobody can write as JSON. */
const typesInWords = (types: string): string => {
  const each = types.split(" | ").filter((type, _, all) => type !== "undefined" || all.length === 1)
  const isWords = each.some((type) => names[type] !== undefined || type === "null")
  return each.map((type) => names[type] ?? type).join(isWords ? " or " : " | ")
}

/** `Expected string | undefined, got 1` is `Expected a string, actual 1`. */
const plain = (message: string): string => {
  const [, types, found] = /^Expected (.*?)(?:, got ([\s\S]*))?$/.exec(message) ?? []
  if (types === undefined) return message
  return `Expected ${typesInWords(types)}${found === undefined ? "" : `, actual ${found}`}`
}

/** All that a decoder found, in the order of the schema; only the first unless it was asked for `errors: "all"`. */
export const shapeProblems = (error: Schema.SchemaError): ReadonlyArray<ShapeProblem> =>
  formatter(error.issue).issues.map(({ message, path }) => ({
    message: plain(message),
    path: (path ?? []).map((part) => (typeof part === "object" ? part.key : part))
  }))

/** A problem as one line: the path in dots, a colon, the words. */
export const inWords = ({ message, path }: ShapeProblem): string =>
  path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`
