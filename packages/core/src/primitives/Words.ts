/** What went wrong, in words for whoever reads a log or a dead letter: an error that says nothing is told by its fields. */
import { Cause, Formatter } from "effect"
import { Limits } from "./Limits.ts"

const fieldsOf = (error: Error): string => {
  const { _tag, cause: _cause, ...fields } = { ...error } as Readonly<Record<string, unknown>>
  return Formatter.formatJson(fields)
}

/** The message of an error, or its fields as JSON when it has none; what is redacted stays so. */
export const wordsOf = (error: Error): string => (error.message === "" ? fieldsOf(error) : error.message)

/** The name of an error and its words, or a whole cause, at most `Limits.problemLength` characters. */
export const describe = (problem: unknown): string => told(problem).slice(0, Limits.problemLength)

const told = (problem: unknown): string => {
  if (Cause.isCause(problem)) return describeCause(problem)
  return problem instanceof Error ? `${problem.name}: ${wordsOf(problem)}` : String(problem)
}

/** A cause with its stacks, each failure by its words. */
export const describeCause = (cause: Cause.Cause<unknown>): string =>
  cause.reasons
    .map((reason) => {
      const text = Cause.pretty(Cause.fromReasons([reason]))
      if (!Cause.isFailReason(reason) || !(reason.error instanceof Error) || reason.error.message !== "") return text
      const [, ...stack] = text.split("\n")
      return [`${reason.error.name}: ${wordsOf(reason.error)}`, ...stack].join("\n")
    })
    .join("\n")
