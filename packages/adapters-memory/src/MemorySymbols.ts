/**
 * Symbols without a parser, for tests: it takes a line at a time, and knows declarations and members that begin and end
 * where plainly written code has them, at the beginning of a line.
 */
import { Effect, Layer } from "effect"
import { mayHaveSymbols, type NamedPart, Symbols } from "@pawl/core/project/Symbols"

const declaration =
  /^(?:export )?(?:default )?(?:async )?(function|class|const|let|var|interface|type|enum) ([A-Za-z_$][\w$]*)/
const member = /^ {2}(?:static |async )*(#?[A-Za-z_$][\w$]*)\(.*\{$/
const imported = /^import .*["']([^"']+)["']/
const route = /(?:\.get\(\s*|path(?:name)?\s*===?\s*)["'`](\/[A-Za-z0-9/_.-]*)["'`]/

const isWhole = (text: string): boolean =>
  [
    ["{", "}"],
    ["(", ")"],
    ["[", "]"]
  ].every(([open = "", close = ""]) => text.split(open).length === text.split(close).length)

/** A declaration whose end was not reached yet; of a class, what comes after its last member. */
interface Open {
  readonly name: string
  readonly from: number
  readonly isClass: boolean
}

const partsOf = (text: string): ReadonlyArray<NamedPart> | null => {
  if (!isWhole(text)) return null
  const symbols: Array<NamedPart> = []
  const routes: Array<NamedPart> = []
  const add = (name: string, from: number, to: number) => symbols.push({ kind: "symbol", name, from, to })
  let outer: Open | null = null
  let inner: Open | null = null
  for (const [index, line] of text.split("\n").entries()) {
    const at = index + 1
    const path = route.exec(line)?.[1]
    if (path !== undefined) routes.push({ kind: "route", name: `GET ${path}`, from: at, to: at })
    const source = imported.exec(line)?.[1]
    if (source !== undefined) add(`import ${source}`, at, at)
    const found: RegExpExecArray | null = outer === null ? declaration.exec(line) : null
    const kind: string | undefined = found?.[1]
    const name: string | undefined = found?.[2]
    if (name !== undefined) outer = { name, from: at, isClass: kind === "class" }
    const own = outer?.isClass === true ? member.exec(line)?.[1] : undefined
    if (outer !== null && own !== undefined) {
      add(outer.name, outer.from, at - 1)
      inner = { name: `${outer.name}.${own}`, from: at, isClass: false }
    } else if (inner !== null && outer !== null && line.startsWith("  }")) {
      add(inner.name, inner.from, at)
      outer = { ...outer, from: at + 1 }
      inner = null
    } else if (outer !== null && (/^[})\]]/.test(line) || (name !== undefined && isWhole(line)))) {
      add(outer.name, outer.from, at)
      outer = null
    }
  }
  return [...symbols, ...routes]
}

/** Symbols as plain lines name them; no code is parsed. */
export const layerMemory: Layer.Layer<never> = Layer.succeed(Symbols, {
  of: (files) => Effect.sync(() => files.map(({ path, text }) => (mayHaveSymbols(path) ? partsOf(text) : null)))
})
