/** Text by code point: the order that keys and paths are listed in, and what has no UTF-8 form. */

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff

/**
 * Orders texts by code point, which is also the order of their UTF-8 bytes. `<` compares UTF-16 units and
 * puts U+1F600 before U+FF5E.
 */
export const compareCodePoints = (a: string, b: string): -1 | 0 | 1 => {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x === y) continue
    // The units of a surrogate pair sort below U+E000 to U+FFFF, the code point that they form above.
    if (isSurrogate(x) !== isSurrogate(y)) return isSurrogate(x) ? 1 : -1
    return x < y ? -1 : 1
  }
  return a.length === b.length ? 0 : a.length < b.length ? -1 : 1
}

/** Whether the text has a UTF-8 form of its own: half a surrogate pair has none. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text)

/** How many bytes the text takes in UTF-8. */
export const utf8Length = (text: string): number => {
  let bytes = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    bytes += unit < 0x80 ? 1 : unit < 0x800 || isSurrogate(unit) ? 2 : 3
  }
  return bytes
}
