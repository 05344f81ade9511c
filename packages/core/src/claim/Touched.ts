/** What a side touched of each file that it changed: by its symbols where they can be read, else by its path alone. */
import { Effect } from "effect"
import { mayHaveSymbols, type NamedPart, type SourceText, Symbols } from "../project/Symbols.ts"
import { changedLines, linesIn } from "./LineChanges.ts"

/** A file before and after; null where there is none, or none that is text. */
export interface FileWork {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
}

/** What was touched of one file. */
export interface Touched {
  readonly path: string
  /** Each once; null for the whole file. */
  readonly symbols: ReadonlyArray<string> | null
  /** Routes that are new, or gone. */
  readonly routes: ReadonlyArray<string>
}

type Parts = ReadonlyArray<NamedPart>

/** What comes after the last symbol of a file. */
const fileEnd = "end of file"

const symbolsIn = (parts: Parts): Parts => parts.filter(({ kind }) => kind === "symbol")

/** The symbols of each line; a line of none belongs to the next one that begins. */
const ownersOf = (lines: number, symbols: Parts): ReadonlyArray<ReadonlyArray<string>> => {
  const owners = Array.from({ length: lines }, (): Array<string> => [])
  for (const { from, name, to } of symbols)
    for (let at = from - 1; at < Math.min(to, lines); at++) owners[at]!.push(name)
  let next = [fileEnd]
  for (let at = lines - 1; at >= 0; at--) {
    if (owners[at]!.length > 0) next = owners[at]!
    else owners[at] = next
  }
  return owners
}

/** The text of each symbol: of all its parts, where it has several. */
const textsOf = (lines: ReadonlyArray<string>, symbols: Parts): ReadonlyMap<string, string> => {
  const texts = new Map<string, string>()
  for (const { from, name, to } of symbols)
    texts.set(name, `${texts.get(name) ?? ""}\n${lines.slice(from - 1, to).join("")}`)
  return texts
}

/** Symbols that both have, in another order: from the first that stands elsewhere to the last. */
const moved = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [old, own] = [new Set(before), new Set(after)]
  const [one, other] = [[...old].filter((name) => own.has(name)), [...own].filter((name) => old.has(name))]
  const first = one.findIndex((name, index) => name !== other[index])
  const last = one.findLastIndex((name, index) => name !== other[index])
  return first < 0 ? [] : one.slice(first, last + 1)
}

/**
 * The symbols that a side touched: those on whose lines it changed something, and beside which it did, for git merges no
 * two changes that touch each other; those that are new, gone, or say something else; and those that changed places.
 */
const touchedSymbols = (before: string, after: string, parts: readonly [before: Parts, after: Parts]) => {
  const [base, side] = [linesIn(before), linesIn(after)]
  const [old, own] = [symbolsIn(parts[0]), symbolsIn(parts[1])]
  const owners = ownersOf(base.length, old)
  const touched = new Set<string>()
  for (const { from, to } of changedLines(base, side)) {
    for (let at = Math.max(0, from - 1); at <= Math.min(to, base.length - 1); at++)
      for (const name of owners[at]!) touched.add(name)
    if (to >= base.length) touched.add(fileEnd)
  }
  const [texts, ownTexts] = [textsOf(base, old), textsOf(side, own)]
  for (const name of new Set([...texts.keys(), ...ownTexts.keys()]))
    if (texts.get(name) !== ownTexts.get(name)) touched.add(name)
  const names = (symbols: Parts) => symbols.map(({ name }) => name)
  for (const name of moved(names(old), names(own))) touched.add(name)
  return [...touched]
}

const routesIn = (parts: Parts | null): ReadonlySet<string> =>
  new Set((parts ?? []).filter(({ kind }) => kind === "route").map(({ name }) => name))

const differing = (before: Parts | null, after: Parts | null): ReadonlyArray<string> => {
  const [old, own] = [routesIn(before), routesIn(after)]
  return [...[...old].filter((each) => !own.has(each)), ...[...own].filter((each) => !old.has(each))]
}

const touchedOf = ({ after, before, path }: FileWork, old: Parts | null, own: Parts | null): Touched => {
  if (before === null || after === null) return { path, symbols: null, routes: differing(old, own) }
  // What a file that cannot be read answered before, nobody knows.
  if (old === null || own === null) return { path, symbols: null, routes: [] }
  return { path, symbols: touchedSymbols(before, after, [old, own]), routes: differing(old, own) }
}

/** What was touched of each file, in their order. */
export const touchedIn = Effect.fnUntraced(function* (files: ReadonlyArray<FileWork>) {
  const read = files.flatMap(({ after, before, path }): ReadonlyArray<SourceText> =>
    mayHaveSymbols(path) ? [before, after].flatMap((text) => (text === null ? [] : [{ path, text }])) : []
  )
  const found = read.length === 0 ? [] : yield* (yield* Symbols).of(read)
  const parts = new Map(read.map(({ path, text }, index) => [`${path}\n${text}`, found[index] ?? null]))
  const partsOf = (path: string, text: string | null) =>
    text === null ? null : (parts.get(`${path}\n${text}`) ?? null)
  return files.map((file) => touchedOf(file, partsOf(file.path, file.before), partsOf(file.path, file.after)))
})
