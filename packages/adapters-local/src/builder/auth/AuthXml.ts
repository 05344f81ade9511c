/**
 * Looks for password fields in XML as a browser reads it: no element swallows the others there, values may be made of
 * entities, and an attribute may be given to all elements of a name by the document's own declaration.
 */
import { type AuthFinding, fieldFinding, passwordAttribute } from "./AuthFinding.ts"

const attributes = String.raw`(?:\s+[^\s"'<>/=]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*`
const startTag = new RegExp(String.raw`<([^\s"'<>/=!?]+)(${attributes})\s*/?>`, "g")
const attribute = /\s([^\s"'<>/=]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g
const entity = /<!ENTITY\s+([^\s"'<>%]+)\s+(?:"([^"]*)"|'([^']*)')\s*>/g
const listed = /<!ATTLIST\b([^<]*)/g

/** How often entities inside entities are opened, and how long the text may become by it, in UTF-16 code units. */
const deepest = 8
const longest = 16 * 1024 * 1024

const character = (code: number): string => (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "")
const withoutNumbers = (text: string): string =>
  text
    .replace(/&#x([0-9a-f]{1,8});/gi, (_, code: string) => character(Number.parseInt(code, 16)))
    .replace(/&#([0-9]{1,8});/g, (_, code: string) => character(Number(code)))

/** The text with the entities that it declares itself written out; as it stands where that would be endless. */
const written = (text: string): string => {
  const declared = new Map([...text.matchAll(entity)].map(([, name = "", one, other]) => [name, one ?? other ?? ""]))
  let whole = text
  for (let round = 0; round < deepest && declared.size > 0; round++) {
    let length = whole.length
    const next = whole.replace(/&([^\s&;#<>]{1,200});/g, (reference, name: string) => {
      const value = length > longest ? undefined : declared.get(name)
      length += value?.length ?? 0
      return value ?? reference
    })
    if (next === whole) break
    whole = next
  }
  return withoutNumbers(whole)
}

const blank = (text: string): string => text.replace(/[^\n]/g, " ")

/**
 * The password fields of XML that a browser shows as a page. Lines are those of the text with its entities written out;
 * an attribute list has no place.
 */
export const xmlFindings = (source: string): ReadonlyArray<AuthFinding> => {
  const text = written(source.replace(/<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>/g, blank))
  const found: Array<AuthFinding> = []
  let [line, from] = [1, 0]
  const spotAt = (at: number) => {
    for (let next = text.indexOf("\n", from); next >= 0 && next < at; next = text.indexOf("\n", from)) {
      line++
      from = next + 1
    }
    return { line, column: null }
  }
  for (const { 0: tag, 1: name = "", 2: given = "", index } of text.matchAll(startTag)) {
    if (!tag.includes("=")) continue
    for (const [, key = "", one, other] of given.matchAll(attribute)) {
      const said = passwordAttribute(key, one ?? other ?? "")
      if (said !== null) found.push(fieldFinding(`<${name.slice(0, 40)} ${said}>`, spotAt(index)))
    }
  }
  for (const [, declaration = ""] of text.matchAll(listed))
    if (/\b(?:type|autocomplete)\b[^<]*password/i.test(declaration))
      found.push(fieldFinding("an attribute list with a password", { line: null, column: null }))
  return found
}
