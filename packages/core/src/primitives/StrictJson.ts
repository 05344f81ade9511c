/**
 * JSON that two programs cannot read differently: a key that is there twice counts as unreadable, for one reads the first
 * and the other the last. Size and depth are bounded, so that hostile text ends in an answer.
 */
import { isTextTooDeep } from "./Nesting.ts"

/** The keys of all objects of this JSON text, in their order; null when one has a key twice. The text must be JSON. */
const keysOf = (text: string): ReadonlyArray<string> | null => {
  const all: Array<string> = []
  // Strings as wholes, so that nothing inside one counts.
  const tokens = /"(?:[^"\\]|\\.)*"|[[\]{},]/g
  const open: Array<Set<string> | null> = []
  let awaitsKey = false
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    const [token] = found
    const keys = open.at(-1)
    if (token === "{" || token === "[") {
      open.push(token === "{" ? new Set() : null)
      awaitsKey = token === "{"
    } else if (token === "}" || token === "]") {
      open.pop()
      awaitsKey = false
    } else if (token === ",") awaitsKey = keys instanceof Set
    else if (awaitsKey && keys instanceof Set) {
      const key = String(JSON.parse(token))
      if (keys.has(key)) return null
      keys.add(key)
      all.push(key)
      awaitsKey = false
    }
  }
  return all
}

/** A space before a colon: such a text may have keys that do not end with `":`. */
const spacedColons = [" :", "\n:", "\r:", "\t:"]

/** How often `":` stands in a text. */
const keyEnds = (text: string): number => {
  let count = 0
  for (let at = text.indexOf('":'); at >= 0; at = text.indexOf('":', at + 2)) count++
  return count
}

/** Whether a key may have an escape in it; a text in a list counts too. */
const mayEscapeKeys = (text: string): boolean => text.includes("\\") && /[{,]\s*"[^"\\]*\\/.test(text)

/** Whether the keys of a parsed value, and of what is in it, are those of its text. */
const hasKeys = (value: unknown, keys: ReadonlyArray<string>): boolean => {
  const found: Array<string> = []
  const walk = (each: unknown): void => {
    if (typeof each !== "object" || each === null) return
    for (const [key, inside] of Object.entries(each)) {
      if (!Array.isArray(each)) found.push(key)
      walk(inside)
    }
  }
  walk(value)
  const written = keys.toSorted()
  return found.length === keys.length && found.toSorted().every((key, index) => key === written[index])
}

/** How many keys a parsed value has, those of what is in it too. */
const keysIn = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 0
  let count = 0
  if (Array.isArray(value)) for (const each of value) count += keysIn(each)
  // A loop over names makes no list of them, and what was parsed has none but its own.
  else for (const key in value) count += 1 + keysIn((value as Readonly<Record<string, unknown>>)[key])
  return count
}

/**
 * Whether as many keys were parsed as the text can have: then none was there twice. Each key of the text ends with `":`,
 * where no space stands before a colon; what else looks so, inside a text, makes the text's count higher alone.
 */
const keepsAllKeys = (text: string, value: unknown): boolean =>
  keyEnds(text) === keysIn(value) && !spacedColons.some((spaced) => text.includes(spaced))

/** What a text of our own says; null for one that is no JSON. Twins are not looked for. */
export const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** What a text says, or why it says nothing. */
export type Read = { readonly value: unknown } | { readonly problem: string }

const readKeyByKey = (text: string, value: unknown): Read => {
  const keys = keysOf(text)
  if (keys === null) return { problem: "a key is there twice" }
  return hasKeys(value, keys) ? { value } : { problem: "this engine takes one of its keys for another" }
}

/** Reads a JSON text of at most `length` UTF-16 units. */
export const readOnce = (text: string, length: number): Read => {
  if (text.length > length) return { problem: `it has more than ${length} characters` }
  if (isTextTooDeep(text)) return { problem: "it is nested too deeply" }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: "it is no JSON" }
  }
  // V8 takes the key "\"" for "\\" where an object before had that one in its place (nodejs/node#63785): what it made of
  // keys with an escape is held against the text.
  if (mayEscapeKeys(text)) return readKeyByKey(text, value)
  // Nearly every text shows by numbers alone that it has no twin. Of those with JSON inside a text nearly each comes out as
  // it was when it is written anew, where a twin would be gone. Only what is written by others is looked at key by key.
  if (keepsAllKeys(text, value) || JSON.stringify(value) === text || keysOf(text) !== null) return { value }
  return { problem: "a key is there twice" }
}
