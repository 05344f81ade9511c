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

const reference = /&([^\s&;#<>]{1,200});/g
const declarationOrReference = new RegExp(`(${entity.source})|${reference.source}`, "g")

/** How deep entities inside entities are opened, and how many UTF-16 code units all of them may come to. */
const deepest = 7
const longest = 16 * 1024 * 1024

const character = (code: number): string => (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "")
const withoutNumbers = (text: string): string =>
  text
    .replace(/&#x([0-9a-f]{1,8});/gi, (_, code: string) => character(Number.parseInt(code, 16)))
    .replace(/&#([0-9]{1,8});/g, (_, code: string) => character(Number(code)))

/** Entities written out. How long one becomes is known before it is: a few lines may come to terabytes. */
const writing = (declared: ReadonlyMap<string, string>) => {
  const sizes = new Map<string, number>()
  const texts = new Map<string, string>()
  const key = (name: string, depth: number) => `${depth} ${name}`

  const sizeOf = (name: string, depth: number): number => {
    const known = sizes.get(key(name, depth))
    if (known !== undefined) return known
    const value = declared.get(name) ?? ""
    let size = value.length
    if (depth > 0)
      for (const [whole, inner = ""] of value.matchAll(reference))
        if (declared.has(inner)) size += sizeOf(inner, depth - 1) - whole.length
    sizes.set(key(name, depth), size)
    return size
  }

  const textOf = (name: string, depth: number): string => {
    const known = texts.get(key(name, depth))
    if (known !== undefined) return known
    const value = declared.get(name) ?? ""
    const text =
      depth === 0
        ? value
        : value.replace(reference, (whole, inner: string) => (declared.has(inner) ? textOf(inner, depth - 1) : whole))
    texts.set(key(name, depth), text)
    return text
  }

  /** A text with its references written out; those stay for whom there is no room any more. */
  return (room: { left: number }) => (whole: string, name: string) => {
    const size = declared.has(name) ? sizeOf(name, deepest) : Number.POSITIVE_INFINITY
    if (size > room.left) return whole
    room.left -= size
    return textOf(name, deepest)
  }
}

/** The text with the entities that it declares itself written out; as it stands where that would be endless. */
const written = (text: string): string => {
  const declared = new Map([...text.matchAll(entity)].map(([, name = "", one, other]) => [name, one ?? other ?? ""]))
  if (declared.size === 0) return withoutNumbers(text)
  const out = writing(declared)
  // What declarations hold takes no room from what a browser shows.
  const [declaring, shown] = [out({ left: longest }), out({ left: longest })]
  return withoutNumbers(
    text.replace(declarationOrReference, (whole, declaration: string | undefined, ...groups: ReadonlyArray<string>) =>
      declaration === undefined ? shown(whole, groups[3] ?? "") : declaration.replace(reference, declaring)
    )
  )
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
