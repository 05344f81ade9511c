/**
 * Reads a pnpm-lock.yaml as pnpm writes it: maps and lists by indentation, keys and words in one of three ways, small maps
 * and lists on one line. It reads no YAML beyond that: what a person wrote otherwise is for who reads locks to build.
 */
import { type JsonObject } from "./PackageManifest.ts"
import { wholeText } from "../primitives/Utf8.ts"

/** How deep a lock goes is known: importers have kinds of names of ranges. */
const maxDepth = 8

class Otherwise extends Error {}

const quotedForm = /^(?:'((?:[^']|'')*)'|("(?:[^"\\]|\\.)*"))/
const keyForm =
  /^(?:'((?:[^']|'')*)'|("(?:[^"\\]|\\.)*")|([^\s'"{}[\],#&*!|>%@`?-](?:[^:#]|:(?=\S)|(?<=\S)#)*)):(?: (.*))?$/

const unquoted = (single: string | undefined, double: string | undefined): string => {
  if (single !== undefined) return single.replaceAll("''", "'")
  const text: unknown = JSON.parse(double ?? "null")
  if (typeof text !== "string") throw new Otherwise()
  return text
}

/** A map that takes each key once, whatever it is called. */
class Taken {
  readonly #entries = new Map<string, unknown>()
  set(key: string, value: unknown): void {
    if (this.#entries.has(key)) throw new Otherwise()
    this.#entries.set(key, value)
  }
  object(): JsonObject {
    return Object.fromEntries(this.#entries)
  }
}

/** What stands on one line: `{a: b}`, `[a, b]`, or a word. */
class Line {
  #rest: string
  constructor(text: string) {
    this.#rest = text
  }

  whole(): unknown {
    const value = this.#value(0)
    if (this.#rest.trim() !== "") throw new Otherwise()
    return value
  }

  #takes(sign: string): boolean {
    this.#rest = this.#rest.trimStart()
    if (!this.#rest.startsWith(sign)) return false
    this.#rest = this.#rest.slice(sign.length)
    return true
  }

  #word(): string {
    this.#rest = this.#rest.trimStart()
    const quoted = quotedForm.exec(this.#rest)
    const found = quoted?.[0] ?? /^[^\s,:{}[\]'"](?:[^,:{}[\]]|:(?=\S))*/.exec(this.#rest)?.[0]
    if (found === undefined) throw new Otherwise()
    this.#rest = this.#rest.slice(found.length)
    return quoted === null ? found.trimEnd() : unquoted(quoted[1], quoted[2])
  }

  #value(depth: number): unknown {
    if (depth > maxDepth) throw new Otherwise()
    if (this.#takes("{")) {
      const taken = new Taken()
      for (let isFirst = true; !this.#takes("}"); isFirst = false) {
        if (!isFirst && !this.#takes(",")) throw new Otherwise()
        const key = this.#word()
        if (!this.#takes(":")) throw new Otherwise()
        taken.set(key, this.#value(depth + 1))
      }
      return taken.object()
    }
    if (!this.#takes("[")) return this.#word()
    const list: Array<unknown> = []
    for (let isFirst = true; !this.#takes("]"); isFirst = false) {
      if (!isFirst && !this.#takes(",")) throw new Otherwise()
      list.push(this.#value(depth + 1))
    }
    return list
  }
}

const indentOf = (line: string): number => line.length - line.trimStart().length

/** A word that is all of its line: quoted, or as it stands. */
const scalar = (text: string): unknown => {
  if (/^[{[]/.test(text)) return new Line(text).whole()
  const quoted = quotedForm.exec(text)
  if (quoted !== null) {
    if (quoted[0].length !== text.trimEnd().length) throw new Otherwise()
    return unquoted(quoted[1], quoted[2])
  }
  if (/^[&*!%@`]/.test(text) || / #/.test(text)) throw new Otherwise()
  return text.trimEnd()
}

class Block {
  readonly #lines: ReadonlyArray<string>
  #at = 0
  constructor(text: string) {
    this.#lines = text.split("\n").filter((line) => line.trim() !== "")
  }

  whole(): JsonObject {
    const value = this.#map(0, 0)
    if (this.#at < this.#lines.length) throw new Otherwise()
    return value
  }

  #next(): string | undefined {
    return this.#lines[this.#at]
  }

  #map(indent: number, depth: number): JsonObject {
    if (depth > maxDepth) throw new Otherwise()
    const taken = new Taken()
    for (let line = this.#next(); line !== undefined && indentOf(line) === indent; line = this.#next()) {
      const found = keyForm.exec(line.slice(indent))
      if (found === null) throw new Otherwise()
      const [, single, double, plain, value] = found
      this.#at++
      taken.set(plain ?? unquoted(single, double), this.#below(indent, depth, value ?? ""))
    }
    const after = this.#next()
    if (after !== undefined && indentOf(after) > indent) throw new Otherwise()
    return taken.object()
  }

  /** What belongs to a key: on its line, or in the lines after it that stand further in. */
  #below(indent: number, depth: number, value: string): unknown {
    if (/^[|>]/.test(value)) return this.#text(indent)
    if (value !== "") return scalar(value)
    const line = this.#next()
    const inner = line === undefined ? 0 : indentOf(line)
    if (line === undefined || inner <= indent) return null
    return line.startsWith("- ", inner) ? this.#list(inner) : this.#map(inner, depth + 1)
  }

  #list(indent: number): ReadonlyArray<unknown> {
    const list: Array<unknown> = []
    for (
      let line = this.#next();
      line?.startsWith("- ", indent) === true && indentOf(line) === indent;
      line = this.#next()
    ) {
      this.#at++
      list.push(scalar(line.slice(indent + 2)))
    }
    return list
  }

  /** Several lines of words, such as why nobody should use a package. */
  #text(indent: number): string {
    const from = this.#at
    for (let line = this.#next(); line !== undefined && indentOf(line) > indent; line = this.#next()) this.#at++
    return this.#lines.slice(from, this.#at).join("\n")
  }
}

/** The map that a lock of pnpm is: maps, lists, texts, and null for nothing. Null when it is written otherwise. */
export const readPnpmText = (bytes: Uint8Array): JsonObject | null => {
  const text = wholeText(bytes)
  if (text === null || text.includes("\t")) return null
  try {
    return new Block(text.replaceAll("\r\n", "\n")).whole()
  } catch (error) {
    if (error instanceof Otherwise || error instanceof SyntaxError) return null
    throw error
  }
}
