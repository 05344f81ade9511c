/** Base64 in its one form, so that no two texts say the same bytes: what is signed is then said in one way alone. */

/** What a character that is no digit counts as: more than any digit. */
const none = 0x80
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
/** The digit that each UTF-16 unit is. */
const digits = new Uint8Array(2 ** 16).fill(none)
for (let at = 0; at < alphabet.length; at++) digits[alphabet.charCodeAt(at)] = at

/** The digit at a place of a text. */
const digit = (text: string, at: number): number => digits[text.charCodeAt(at)] ?? none

/** The bytes of a base64 text: padded, no white space, no bits left over. Null for any other. */
export const base64Bytes = (text: string): Uint8Array | null => {
  const { length } = text
  if (length % 4 !== 0) return null
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0
  const whole = padding === 0 ? length : length - 4
  const bytes = new Uint8Array((length / 4) * 3 - padding)
  let to = 0
  let met = 0
  for (let at = 0; at < whole; at += 4) {
    const one = digit(text, at)
    const two = digit(text, at + 1)
    const three = digit(text, at + 2)
    const four = digit(text, at + 3)
    met |= one | two | three | four
    bytes[to] = (one << 2) | (two >> 4)
    bytes[to + 1] = (two << 4) | (three >> 2)
    bytes[to + 2] = (three << 6) | four
    to += 3
  }
  if (padding > 0) {
    const one = digit(text, whole)
    const two = digit(text, whole + 1)
    const three = padding === 1 ? digit(text, whole + 2) : 0
    bytes[to++] = (one << 2) | (two >> 4)
    if (padding === 1) bytes[to++] = (two << 4) | (three >> 2)
    met |= one | two | three
    // The last digit has bits that stand for nothing.
    if ((padding === 1 ? three & 0x03 : two & 0x0f) !== 0) return null
  }
  return met >= none ? null : bytes
}

const unpadded = /^[A-Za-z0-9_-]*$/

/** The same of base64url, which has no padding. */
export const base64UrlBytes = (text: string): Uint8Array | null =>
  unpadded.test(text)
    ? base64Bytes(text.replaceAll("-", "+").replaceAll("_", "/") + "=".repeat((4 - (text.length % 4)) % 4))
    : null
