/** YAML as pnpm writes locks: maps, lists and plain values, with the lines they stand on. Whatever else YAML can is refused. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Node } from "yaml"

/** The YAML cannot be taken; `message` goes on after "it". */
export class WrongYaml extends Error {}

/** A value of a map: what stands there, and on which line its key does. */
export interface YamlEntry {
  readonly value: YamlValue
  readonly line: number
}
/** A map, a list, a text, or anything else that is one word: null for nothing. */
export type YamlValue = YamlMap | ReadonlyArray<YamlValue> | string | number | boolean | null
/** By key, each once, in the order of the file. */
export type YamlMap = ReadonlyMap<string, YamlEntry>

const maxDepth = 16

const valueOf = (node: unknown, lines: LineCounter, depth: number): YamlValue => {
  if (depth > maxDepth) throw new WrongYaml(`is nested deeper than ${maxDepth} levels`)
  if (node === null || node === undefined) return null
  if (isAlias(node)) throw new WrongYaml("has aliases")
  if (isScalar(node)) {
    if (node.anchor !== undefined) throw new WrongYaml("has anchors")
    const { value } = node
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null
  }
  if (isSeq(node)) return node.items.map((item) => valueOf(item, lines, depth + 1))
  if (!isMap(node)) throw new WrongYaml("has what is neither a map nor a list")
  const found = new Map<string, YamlEntry>()
  for (const { key, value } of node.items) {
    if (!isScalar(key)) throw new WrongYaml("has a key that is no text")
    const name = String(key.value)
    if (found.has(name)) throw new WrongYaml(`names ${JSON.stringify(name.slice(0, 100))} twice`)
    const line = lines.linePos(key.range?.[0] ?? 0).line
    found.set(name, { value: valueOf(value, lines, depth + 1), line })
  }
  return found
}

const parsed = (text: string, lines: LineCounter): Node | null => {
  try {
    // Keys are compared above: the library compares each with all others. Silent, it would not tell of a second document.
    const document = parseDocument(text, { uniqueKeys: false, logLevel: "error", lineCounter: lines })
    const [error] = document.errors
    if (error !== undefined) throw new WrongYaml("is not YAML")
    return document.contents
  } catch (error) {
    // Nested so deeply that the parser came to the end of its stack.
    throw error instanceof RangeError ? new WrongYaml("is nested too deeply") : error
  }
}

/** The map that a text is. Throws `WrongYaml`. */
export const readYaml = (text: string): YamlMap => {
  const lines = new LineCounter()
  const value = valueOf(parsed(text, lines), lines, 0)
  if (!(value instanceof Map)) throw new WrongYaml("is not a map")
  return value
}

const nothing: YamlMap = new Map()

/** The map below a key; an empty one when there is none. */
export const mapIn = (map: YamlMap, key: string): YamlMap => {
  const value = map.get(key)?.value
  return value instanceof Map ? value : nothing
}

/** The text below a key, also one that looks like a number. */
export const textIn = (map: YamlMap, key: string): string | null => {
  const value = map.get(key)?.value
  return typeof value === "string" || typeof value === "number" ? String(value) : null
}

/** The texts of a list, or the one text, below a key. */
export const textsIn = (map: YamlMap, key: string): ReadonlyArray<string> => {
  const value = map.get(key)?.value
  const all = Array.isArray(value) ? value : [value]
  return all.flatMap((each: unknown) => (typeof each === "string" ? [each] : []))
}

/** A value without its lines. Keys are own properties, whatever they are called. */
export const plainOf = (value: YamlValue): unknown => {
  if (value instanceof Map) {
    const entries = [...(value as YamlMap)].map(([key, entry]) => [key, plainOf(entry.value)] as const)
    return Object.fromEntries(entries)
  }
  return Array.isArray(value) ? value.map((each: YamlValue) => plainOf(each)) : value
}
