/**
 * Says whether a text that an agent wrote can be parsed. The reference has a default that knows JSON alone, so that a
 * composition need not know of parsers.
 */
import { Context, Effect } from "effect"

/** What looks at texts. */
export interface SyntaxShape {
  /**
   * What is wrong with the syntax of a text, with its line, in words for a model; null when nothing is, when nobody here
   * knows its kind, and when it cannot be told in time. `path` tells its kind by the extension. Never fails.
   */
  readonly check: (path: string, text: string) => Effect.Effect<string | null>
}

/** Files of settings that may hold comments are none of it. */
const isJson = (path: string): boolean => path.endsWith(".json") && !/(^|\/)(tsconfig|jsconfig)[^/]*$/.test(path)

/** What is wrong with a text as JSON; null for a file that is none. */
export const jsonProblem = (path: string, text: string): string | null => {
  if (!isJson(path)) return null
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Replaced by an installation that has a parser of code. */
export const Syntax = Context.Reference("@pawl/core/agent/Syntax", {
  defaultValue: (): SyntaxShape => ({ check: (path, text) => Effect.succeed(jsonProblem(path, text)) })
})
