/** What of an app's text is kept as a line: nothing that a terminal obeys, and no more than a line may be long. */
import { utf8 } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"

/** Control characters but tab and line feed, C1 controls, and the marks that turn the direction of text. */
const controlCharacters = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** U+2400 and on are the pictures of the first 32 controls. */
const shown = (character: string): string => {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  if (code === 0x7f) return "\u2421"
  return `\\u${code.toString(16).padStart(4, "0")}`
}

const cutMark = (bytes: number): string => ` … (cut: ${bytes} bytes)`

/** The longest beginning of a text with at most so many bytes of UTF-8, by whole characters. */
const beginning = (text: string, most: number): string => {
  let [bytes, end] = [0, 0]
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
    if (bytes > most) break
    end += character.length
  }
  return text.slice(0, end)
}

/**
 * A text as a line keeps it: well-formed, controls as visible pictures, and at most `Limits.appLogLineBytes` bytes, the
 * mark that says it was cut included. `bytes`: how long the whole was, when the text is already a part of it.
 */
export const lineText = (text: string, bytes = 0): string => {
  const most = Limits.appLogLineBytes
  // No more than this can be kept, whatever stands in it; one more tells that there was more.
  const looked = text.slice(0, most + 1)
  const clean = looked
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replaceAll("\r\n", "\n")
    .replace(controlCharacters, shown)
  const whole = bytes > 0 ? bytes : looked.length === text.length ? 0 : utf8(text).length
  const size = utf8(clean).length
  if (whole === 0 && size <= most) return clean
  const mark = cutMark(whole === 0 ? size : whole)
  return beginning(clean, most - utf8(mark).length) + mark
}

/** What stands before the path of an absolute URL. */
const origin = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i

/** `GET /path`, without the query, which may hold what is nobody's business. `url` is absolute, or begins with its path. */
export const requestLabel = ({ method, url }: { readonly method: string; readonly url: string }): string => {
  const [path] = url.replace(origin, "").split(/[?#]/, 1)
  return `${method} ${(path || "/").slice(0, Limits.repeatedLength)}`
}

/** What stands for lines that were not kept, where so many lines and bytes of a second are. */
export const droppedText = (count: number, lines: number, bytes: number): string =>
  `${count} lines dropped: of an app, ${lines} lines and ${bytes / 1024} KiB a second are kept`
