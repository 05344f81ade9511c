/** What RFC 1951 settles of the deflate format: its symbols, and the codes that each side makes from lengths alone. */

/** No code is longer, in bits. */
export const maxCodeBits = 15
/** The symbol that ends a block. */
export const endOfBlock = 256
/** How many symbols literals and lengths of copies have together. */
export const literalSymbols = 286
/** How many symbols there are for how far back a copy begins. */
export const distanceSymbols = 30
/** The first symbol of a length. */
export const firstLength = 257
/** How far back a copy may begin, in bytes. */
export const windowBytes = 32_768
/** The shortest copy, in bytes. */
export const minCopy = 3
/** The longest one, in bytes. */
export const maxCopy = 258

/** Where the values of each symbol begin, and how many bits follow it to say which one. */
export interface Ranges {
  readonly first: Uint16Array
  readonly extraBits: Uint8Array
}

const rangesOf = (begin: number, extraBits: ReadonlyArray<number>): Ranges => {
  const first = new Uint16Array(extraBits.length)
  let at = begin
  for (const [symbol, bits] of extraBits.entries()) {
    first[symbol] = at
    at += 1 << bits
  }
  return { first, extraBits: Uint8Array.from(extraBits) }
}

const grown = (count: number, step: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, symbol) => Math.max(0, Math.floor(symbol / step) - 1))

/** Lengths of copies by symbol, from `firstLength` on. The longest has a symbol of its own. */
export const lengths: Ranges = (() => {
  const ranges = rangesOf(minCopy, [...grown(28, 4), 0])
  ranges.first[28] = maxCopy
  return ranges
})()

/** Distances of copies by symbol. */
export const distances: Ranges = rangesOf(1, grown(distanceSymbols, 2))

/** The order in which the lengths of the codes for lengths are written. */
export const lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

/** The lengths of the codes that need not be told: those of literals and lengths of copies. */
export const fixedLiterals = Uint8Array.from({ length: 288 }, (_, symbol) =>
  symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8
)
/** Those of distances; the last two stand for none. */
export const fixedDistances = new Uint8Array(32).fill(5)

/** How many codes there are of each length. */
export const countsOf = (bits: Uint8Array): Uint16Array => {
  const counts = new Uint16Array(maxCodeBits + 1)
  for (const each of bits) counts[each] = counts[each]! + 1
  counts[0] = 0
  return counts
}

const reversed = (code: number, bits: number): number => {
  let [left, turned] = [code, 0]
  for (let at = 0; at < bits; at++) {
    turned = (turned << 1) | (left & 1)
    left >>= 1
  }
  return turned
}

/** The code of each symbol by its length, with the bit first that is written first. */
export const codesOf = (bits: Uint8Array): Uint16Array => {
  const counts = countsOf(bits)
  const next = new Uint16Array(maxCodeBits + 2)
  for (let length = 1; length <= maxCodeBits; length++) next[length + 1] = (next[length]! + counts[length]!) << 1
  const codes = new Uint16Array(bits.length)
  for (const [symbol, length] of bits.entries())
    if (length > 0) {
      codes[symbol] = reversed(next[length]!, length)
      next[length] = next[length]! + 1
    }
  return codes
}
