/**
 * Inflates what zlib deflated (RFC 1950, 1951), in bytes that go on behind it. The runtime's own streams do not say where it
 * ended, which is how a pack tells its entries apart.
 */
import {
  codesOf,
  countsOf,
  distances,
  distanceSymbols,
  endOfBlock,
  firstLength,
  fixedDistances,
  fixedLiterals,
  lengthOrder,
  lengths,
  literalSymbols,
  maxCodeBits
} from "./DeflateFormat.ts"

/** What was inflated, and where the bytes behind it begin. */
export interface Inflated {
  readonly bytes: Uint8Array
  readonly end: number
}

/** Codes up to this length are looked up at once. */
const tableBits = 9

interface Code {
  /** By the next bits: the symbol and, in the last four bits, the length of its code; 0 for a longer code, or none. */
  readonly table: Uint16Array
  readonly counts: Uint16Array
  /** In the order of their codes. */
  readonly symbols: Uint16Array
}

/** Null for lengths that no codes can have. A code alone may leave some unused. */
const codeOf = (bits: Uint8Array): Code | null => {
  const counts = countsOf(bits)
  let [left, used] = [1, 0]
  for (let length = 1; length <= maxCodeBits; length++) {
    left = left * 2 - counts[length]!
    used += counts[length]!
    if (left < 0) return null
  }
  if (left > 0 && used > 1) return null
  const places = new Uint16Array(maxCodeBits + 2)
  for (let length = 1; length <= maxCodeBits; length++) places[length + 1] = places[length]! + counts[length]!
  const symbols = new Uint16Array(used)
  const table = new Uint16Array(1 << tableBits)
  const codes = codesOf(bits)
  for (const [symbol, length] of bits.entries()) {
    if (length === 0) continue
    symbols[places[length]!] = symbol
    places[length] = places[length]! + 1
    if (length > tableBits) continue
    for (let at = codes[symbol]!; at < table.length; at += 1 << length) table[at] = (symbol << 4) | length
  }
  return { table, counts, symbols }
}

const fixed = { literals: codeOf(fixedLiterals)!, distances: codeOf(fixedDistances) }

/** Says that the bytes are none that were deflated to that size. */
class Broken extends Error {}

class Reader {
  private held = 0
  private bits = 0
  private made = 0
  private at: number
  private readonly bytes: Uint8Array
  private readonly source: Uint8Array

  constructor(source: Uint8Array, at: number, size: number) {
    this.source = source
    this.at = at
    this.bytes = new Uint8Array(size)
  }

  private fill(): void {
    while (this.bits <= 24 && this.at < this.source.length) {
      this.held |= this.source[this.at++]! << this.bits
      this.bits += 8
    }
  }

  /** Up to 16 bits. */
  private take(count: number): number {
    if (this.bits < count) this.fill()
    if (this.bits < count) throw new Broken()
    const value = this.held & ((1 << count) - 1)
    this.held >>>= count
    this.bits -= count
    return value
  }

  private symbol({ counts, symbols, table }: Code): number {
    if (this.bits < maxCodeBits) this.fill()
    const found = table[this.held & (table.length - 1)]!
    if (found !== 0) {
      this.take(found & 15)
      return found >> 4
    }
    let [code, first, place] = [0, 0, 0]
    for (let length = 1; length <= maxCodeBits; length++) {
      code |= this.take(1)
      const count = counts[length]!
      if (code < first + count) return symbols[place + code - first]!
      place += count
      first = (first + count) << 1
      code <<= 1
    }
    throw new Broken()
  }

  /** What whole bytes were taken too many is given back. */
  private toByte(): void {
    this.at -= this.bits >> 3
    this.held = 0
    this.bits = 0
  }

  private plain(): void {
    this.toByte()
    const { at, bytes, source } = this
    const size = source[at]! | (source[at + 1]! << 8)
    if (at + 4 + size > source.length || (size ^ 0xffff) !== (source[at + 2]! | (source[at + 3]! << 8)))
      throw new Broken()
    if (this.made + size > bytes.length) throw new Broken()
    bytes.set(source.subarray(at + 4, at + 4 + size), this.made)
    this.made += size
    this.at = at + 4 + size
  }

  private codes(): { readonly literals: Code; readonly distances: Code | null } {
    const literal = this.take(5) + firstLength
    const distance = this.take(5) + 1
    const count = this.take(4) + 4
    const lengthBits = new Uint8Array(lengthOrder.length)
    for (const symbol of lengthOrder.slice(0, count)) lengthBits[symbol] = this.take(3)
    const told = codeOf(lengthBits)
    if (told === null || literal > literalSymbols || distance > distanceSymbols) throw new Broken()
    const bits = new Uint8Array(literal + distance)
    for (let at = 0; at < bits.length;) {
      const symbol = this.symbol(told)
      if (symbol < 16) {
        bits[at++] = symbol
        continue
      }
      if (symbol === 16 && at === 0) throw new Broken()
      const value = symbol === 16 ? bits[at - 1]! : 0
      const times = symbol === 16 ? 3 + this.take(2) : symbol === 17 ? 3 + this.take(3) : 11 + this.take(7)
      if (at + times > bits.length) throw new Broken()
      bits.fill(value, at, at + times)
      at += times
    }
    const literals = codeOf(bits.subarray(0, literal))
    if (literals === null || bits[endOfBlock] === 0) throw new Broken()
    const distancesTold = codeOf(bits.subarray(literal))
    if (distancesTold === null) throw new Broken()
    return { literals, distances: distancesTold }
  }

  private copied(symbol: number, code: Code | null): void {
    const { bytes } = this
    const at = symbol - firstLength
    if (at >= lengths.first.length || code === null) throw new Broken()
    const length = lengths.first[at]! + this.take(lengths.extraBits[at]!)
    const far = this.symbol(code)
    if (far >= distanceSymbols) throw new Broken()
    const distance = distances.first[far]! + this.take(distances.extraBits[far]!)
    const end = this.made + length
    if (distance > this.made || end > bytes.length) throw new Broken()
    // A copy may reach into what it makes.
    for (let to = this.made; to < end; to++) bytes[to] = bytes[to - distance]!
    this.made = end
  }

  private block(literals: Code, far: Code | null): void {
    const { bytes } = this
    for (;;) {
      const symbol = this.symbol(literals)
      if (symbol === endOfBlock) return
      if (symbol > endOfBlock) this.copied(symbol, far)
      else {
        if (this.made === bytes.length) throw new Broken()
        bytes[this.made++] = symbol
      }
    }
  }

  /** All of it. Throws `Broken`. */
  read(): Inflated {
    for (let isLast = false; !isLast;) {
      isLast = this.take(1) === 1
      const kind = this.take(2)
      if (kind === 3) throw new Broken()
      if (kind === 0) this.plain()
      else {
        const { distances: far, literals } = kind === 1 ? fixed : this.codes()
        this.block(literals, far)
      }
    }
    this.toByte()
    if (this.made !== this.bytes.length) throw new Broken()
    return { bytes: this.bytes, end: this.at }
  }
}

/** Around what is deflated: how it was done, and a checksum. */
const headBytes = 2
const tailBytes = 4

/**
 * What was deflated from a place on, when it inflates to exactly `size` bytes; else null. No more is made of it, whatever it
 * says. Its checksum is not looked at: whoever asks has proved the bytes otherwise.
 */
export const inflatedAt = (source: Uint8Array, at: number, size: number): Inflated | null => {
  try {
    const { bytes, end } = new Reader(source, at + headBytes, size).read()
    return end + tailBytes > source.length ? null : { bytes, end: end + tailBytes }
  } catch (error) {
    if (error instanceof Broken) return null
    throw error
  }
}
