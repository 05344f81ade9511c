/**
 * Words that stand in a text of a row, in capitals or not, as SQL. Databases differ in what `lower` does, and by their
 * locale: only what `folded` of the core says of the letters that are looked for is done here, and in each of them.
 */
import { folded, soughtBy } from "@pawl/core/ledger/Search"
import type { Database, Parameter } from "./Database.ts"

type Dialect = Database["Service"]["dialect"]

/** The last letter of Unicode that has another small form (U+1E943, of Adlam), with room behind it. */
const lastLetter = 0x1efff

/** How many other letters a question on SQLite can fold: few sizes, for each is a text of its own that is kept. */
const sizes = [0, 4, 16, 24] as const
/** A Durable Object nests expressions 100 deep, and takes 100 parameters. */
const foldsMost = 24

/** Capitals outside ASCII whose small forms have a letter of it (the sign of Kelvin, and I with a dot). */
const always = ["\u212a", "\u0130"]

const isOne = (code: number): boolean => code < 0xd800 || code > 0xdfff

/** Small letters, and the capitals of each; without those of `always`. */
const capitalsByLetter = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  for (let code = 0x80; code <= lastLetter; code++) {
    const capital = isOne(code) ? String.fromCodePoint(code) : ""
    const small = folded(capital)
    if (small === capital || always.includes(capital)) continue
    for (const letter of small) found.set(letter, [...(found.get(letter) ?? []), capital])
  }
  return found
}

let known: ReturnType<typeof capitalsByLetter> | null = null

/** The letters outside ASCII whose small form this one is. */
const capitalsOf = (letter: string): ReadonlyArray<string> => {
  known ??= capitalsByLetter()
  return known.get(letter) ?? []
}

/** The words that a database can be asked for, and the capitals that it must know for them. */
const asked = (words: ReadonlyArray<string>) => {
  const kept: Array<string> = []
  let capitals: ReadonlySet<string> = new Set()
  for (const word of words) {
    const more = new Set([...capitals, ...Array.from(word, capitalsOf).flat()])
    if (more.size > foldsMost) continue
    kept.push(word)
    capitals = more
  }
  return { words: kept, capitals: [...capitals] }
}

const ascii = Array.from({ length: 26 }, (_, n) => String.fromCharCode(65 + n)).join("")
/** The text with those of `always` small, as SQL. */
const plain = (text: string): string =>
  always.reduce((sql, capital) => `replace(${sql}, '${capital}', '${folded(capital)}')`, text)

interface Sql {
  readonly sql: string
  readonly params: ReadonlyArray<Parameter>
}

/** The text with these letters small, and those of ASCII, as SQL. */
const small: Readonly<Record<Dialect, (text: string, capitals: ReadonlyArray<string>) => Sql>> = {
  sqlite: (text, capitals) => {
    const size = sizes.find((each) => each >= capitals.length) ?? foldsMost
    // Nothing in place of nothing changes nothing.
    const pairs = Array.from({ length: size }, (_, n) => [capitals[n] ?? "", folded(capitals[n] ?? "")])
    return { sql: `lower(${pairs.reduce((sql) => `replace(${sql}, ?, ?)`, plain(text))})`, params: pairs.flat() }
  },
  pg: (text, capitals) => {
    const from = ascii + capitals.join("")
    return { sql: `translate(${plain(text)}, ?, ?)`, params: [from, folded(from)] }
  }
}

/** The function that says where in its first text the second one stands, from 1 on; 0: nowhere. */
export const place: Readonly<Record<Dialect, string>> = { sqlite: "instr", pg: "strpos" }
/** The texts of a JSON list, each as `word.value`: one parameter for however many. */
export const each: Readonly<Record<Dialect, string>> = {
  sqlite: "json_each(?) AS word",
  pg: "jsonb_array_elements_text(?::jsonb) AS word(value)"
}

/** Whether each word of `q` stands somewhere in a text, or an id begins so: `speaking` of the core, or more than it. */
export const speaking = (
  dialect: Dialect,
  q: string,
  { id, text }: { readonly id: string; readonly text: string }
): Sql => {
  const { whole, words } = soughtBy(q)
  // No text of a row holds such a thing, and Postgres does not take it.
  if (!whole.isWellFormed() || whole.includes("\0")) return { sql: "1 = 0", params: [] }
  const all = asked(words)
  const at = place[dialect]
  const lower = small[dialect](text, all.capitals)
  const stand = `NOT EXISTS (SELECT 1 FROM ${each[dialect]} WHERE ${at}(${lower.sql}, word.value) = 0)`
  return {
    sql: `(${stand} OR ${at}(${id}, ?) = 1)`,
    params: [JSON.stringify(all.words), ...lower.params, whole]
  }
}
