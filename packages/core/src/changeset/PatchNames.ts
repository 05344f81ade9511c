/** Names of files as git writes them in a patch: behind `a/` and `b/`, in quotes where they have odd characters. */
import { utf8 } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import { wholeText } from "../primitives/Utf8.ts"

/** What stands for no file. */
export const nowhere = "/dev/null"

const escaped: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 }

/** Characters of the longest path that may be, each as four bytes, and each byte as a backslash and three digits. */
const longest = 16 * Limits.pathLength

/** A text in git's quotes that begins here, and what stands behind it; null where there is none. */
const unquoted = (text: string): { readonly name: string; readonly rest: string } | null => {
  const [quoted, inside] = /^"((?:[^"\\]|\\.)*)"/.exec(text.slice(0, longest)) ?? []
  if (quoted === undefined || inside === undefined) return null
  const bytes: Array<number> = []
  for (const [part, octal, letter] of inside.matchAll(/\\([0-3][0-7]{2})|\\(.)|[^\\]+/g)) {
    const byte = octal === undefined ? escaped[letter ?? ""] : parseInt(octal, 8)
    if (byte !== undefined) bytes.push(byte)
    else if (letter === undefined) for (const each of utf8(part)) bytes.push(each)
    else return null
  }
  const name = wholeText(Uint8Array.from(bytes))
  return name === null ? null : { name, rest: text.slice(quoted.length) }
}

/** Without the folder that stands for a side: `a/`, `b/`, or one of those that git has for other comparisons. */
const withoutSide = (name: string): string | null => /^[abciow12]\/(.+)$/.exec(name)?.[1] ?? null

/** The name behind `rename from` and its like; null when it cannot be read. */
export const plainName = (text: string): string | null => {
  if (!text.startsWith('"')) return text
  const read = unquoted(text)
  return read === null || read.rest !== "" ? null : read.name
}

/** The name behind `---` or `+++`, without its side; `nowhere` for no file, null when it cannot be read. */
export const sideName = (text: string): string | null => {
  if (text.startsWith('"')) {
    const read = unquoted(text)
    return read === null || !/^(\t|$)/.test(read.rest) ? null : withoutSide(read.name)
  }
  const name = text.split("\t", 1)[0] ?? ""
  return name === nowhere ? nowhere : withoutSide(name)
}

/** The name that both sides of `diff --git` have; null when they differ or cannot be told apart. */
export const commonName = (text: string): string | null => {
  const read = text.startsWith('"') ? unquoted(text) : null
  // Both sides are as long as each other when they are the same.
  const middle = (text.length - 1) / 2
  const sides =
    read === null ? [text.slice(0, middle), text.slice(middle + 1)] : [read.name, plainName(read.rest.slice(1))]
  const [old, new_] = sides.map((side) => (typeof side === "string" ? withoutSide(side) : null))
  return old === new_ ? (old ?? null) : null
}
