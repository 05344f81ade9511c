/** Syntax without a parser, for tests: JSON is read, and code has as many brackets that open as that close. */
import { jsonProblem, Syntax } from "@pawl/core/agent/Syntax"
import { Effect, Layer } from "effect"

const pairs = [
  ["{", "}"],
  ["(", ")"],
  ["[", "]"]
] as const

const codeProblem = (path: string, text: string): string | null => {
  if (!/\.[cm]?[jt]sx?$/.test(path)) return null
  const odd = pairs.find(([open, close]) => text.split(open).length !== text.split(close).length)
  if (odd === undefined) return null
  return `line ${text.split("\n").length}: ${odd[0]} and ${odd[1]} are not as many`
}

/** A rule of thumb: it takes a bracket in a string for one. */
export const layerMemory: Layer.Layer<never> = Layer.succeed(Syntax, {
  check: (path, text) => Effect.succeed(jsonProblem(path, text) ?? codeProblem(path, text))
})
