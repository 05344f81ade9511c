/**
 * A RouteReader without a parser, for tests: it takes a line at a time, and knows comparisons with a path, `get` of a
 * router, and pages below `public/`.
 */
import { Effect, Layer } from "effect"
import { Limits } from "@pawl/core/primitives/Limits"
import { RouteReader, type SourceFiles } from "@pawl/core/release/RouteReader"
import { textOf } from "@pawl/core/primitives/Utf8"

const isTest = (path: string): boolean => /(^|\/)tests?\/|\.(test|spec)\./.test(path)

/** None when the line names another method. */
const routesOfLine = (line: string): ReadonlyArray<string> =>
  /\b(post|put|patch|delete)\b/i.test(line)
    ? []
    : Array.from(
        line.matchAll(/(?:\.get\(\s*|path(?:name)?\s*===?\s*)["'`](\/[A-Za-z0-9/_.-]*)["'`]/g),
        (match) => match[1]!
      )

const pageOf = (path: string): ReadonlyArray<string> => {
  const page = /^public(\/.*)\.html$/.exec(path)?.[1]
  return page === undefined ? [] : [page.replace(/\/index$/, "/")]
}

const routesOf = (files: SourceFiles): ReadonlyArray<string> => {
  const code: Array<string> = []
  const pages: Array<string> = []
  for (const [path, { content }] of files) {
    pages.push(...pageOf(path))
    if (isTest(path) || !/\.[cm]?[jt]sx?$/.test(path)) continue
    code.push(...textOf(content).split("\n").flatMap(routesOfLine))
  }
  return [...code, ...pages.sort()]
}

/** Routes as the sources name them in plain lines; no code is parsed. */
export const layerMemory: Layer.Layer<RouteReader> = Layer.succeed(RouteReader, {
  added: (before, after) =>
    Effect.sync(() => {
      const known = new Set(routesOf(before))
      return [...new Set(routesOf(after))].filter((route) => !known.has(route)).slice(0, Limits.addedRoutes)
    })
})
