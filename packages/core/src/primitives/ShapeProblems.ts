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

/** All that a decoder found, in the order of the schema; only the first unless it was asked for `errors: "all"`. */
export const shapeProblems = (error: Schema.SchemaError): ReadonlyArray<ShapeProblem> =>
  formatter(error.issue).issues.map(({ message, path }) => ({
    message: message.replace(/^(Expected .*?), got /, "$1, actual "),
    path: (path ?? []).map((part) => (typeof part === "object" ? part.key : part))
  }))

/** A problem as one line: the path in dots, a colon, the words. */
export const inWords = ({ message, path }: ShapeProblem): string =>
  path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`
