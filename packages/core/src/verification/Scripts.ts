/**
 * Whether bytes that are served hold a script, looked at without a parser: what looks like one counts as one. A page
 * in which nothing is found runs nothing, whatever type a header gives it.
 */

declare const TextDecoder: { new (label: string): { decode(bytes: Uint8Array): string } }

const named: Readonly<Record<string, string>> = { tab: "\t", newline: "\n", colon: ":", lpar: "(", sol: "/", lt: "<" }

/** Character references as a browser reads them in an attribute, as far as they can hide an address or a tag. */
const decoded = (text: string): string =>
  text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]+));?/gi, (whole, hex, decimal, name) => {
    if (typeof name === "string") return named[name.toLowerCase()] ?? whole
    const code = typeof hex === "string" ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })

const signs: ReadonlyArray<RegExp> = [
  /<\s*(?:[\w.-]+:)?script/i,
  // Handlers, also those that an animation sets.
  /[\s"'/]on[a-z]{3,}\s*=/i,
  /attributename\s*=\s*["']?\s*(?:on|[\w:]*href)/i,
  // What holds or brings another document.
  /<\s*(?:[\w.-]+:)?(?:iframe|frame|object|embed|applet|foreignobject|base|portal|fencedframe)\b/i,
  /srcdoc/i,
  /http-equiv/i,
  /<\s*link\b[^>]*\b(?:modulepreload|import|prerender|manifest|serviceworker)/i,
  /<!entity|<\?xml-stylesheet|<!doctype[^>]*\[/i
]
const addresses = /(?:javascript|vbscript|livescript):|data:(?:text\/(?:html|xml)|application\/|image\/svg)/i

/** UTF-8 without control characters: what any decoder a browser may choose reads as it stands here, as far as tags go. */
const isPlainText = (text: string): boolean => !/[^\P{Cc}\t\n\f\r]|\ufffd/u.test(text)

/**
 * Whether bytes hold a script, or may. With `isText` the file must be text: what cannot be read as text counts as one.
 */
export const holdsScript = (content: Uint8Array, isText: boolean): boolean => {
  const text = new TextDecoder(isText ? "utf-8" : "latin1").decode(content)
  if (isText && !isPlainText(text)) return true
  const plain = decoded(text)
  return (
    signs.some((sign) => sign.test(text) || sign.test(plain)) || addresses.test(plain.replaceAll(/[\s\p{Cc}]+/gu, ""))
  )
}
