/** Deflates bytes as zlib does (RFC 1950, 1951), at once: a pack's entry is made when it is asked for. */
import { codeLengths } from "./CodeLengths.ts"
import {
  codesOf,
  distances,
  distanceSymbols,
  endOfBlock,
  firstLength,
  fixedDistances,
  fixedLiterals,
  lengthOrder,
  lengths,
  literalSymbols,
  maxCodeBits,
  maxCopy,
  minCopy,
  type Ranges,
  windowBytes
} from "./DeflateFormat.ts"

/** How many places with the same beginning are looked at for a longer copy, and how long one is long enough. */
const placesTried = 48
const longEnough = 128
/** How many literals and copies share their codes. */
const stepsOfBlock = 32_768
/** The most bytes of a block that is told as it is. */
const plainBytes = 0xffff

/** Which symbol a value has, for each value. */
const symbolsOf = ({ extraBits, first }: Ranges, last: number): Uint8Array => {
  const symbols = new Uint8Array(last + 1)
  for (let symbol = 0; symbol < first.length; symbol++)
    symbols.fill(symbol, first[symbol], Math.min(last + 1, first[symbol]! + (1 << extraBits[symbol]!)))
  return symbols
}

const lengthSymbols = symbolsOf(lengths, maxCopy)
const distanceSymbolOf = symbolsOf(distances, windowBytes)

class Writer {
  private bytes: Uint8Array
  private held = 0
  private bits = 0
  size = 0

  constructor(expected: number) {
    this.bytes = new Uint8Array(expected)
  }

  private room(more: number): void {
    if (this.size + more <= this.bytes.length) return
    const larger = new Uint8Array(Math.max(this.size + more, this.bytes.length * 2))
    larger.set(this.bytes)
    this.bytes = larger
  }

  /** Up to 16 bits. */
  put(value: number, count: number): void {
    this.held |= value << this.bits
    this.bits += count
    if (this.bits < 16) return
    this.room(2)
    this.bytes[this.size++] = this.held & 255
    this.bytes[this.size++] = (this.held >> 8) & 255
    this.held >>>= 16
    this.bits -= 16
  }

  toByte(): void {
    this.room(2)
    for (; this.bits > 0; this.bits -= 8) {
      this.bytes[this.size++] = this.held & 255
      this.held >>>= 8
    }
    this.held = 0
    this.bits = 0
  }

  raw(bytes: Uint8Array): void {
    this.room(bytes.length)
    this.bytes.set(bytes, this.size)
    this.size += bytes.length
  }

  /** What was written. */
  written(): Uint8Array {
    return this.bytes.slice(0, this.size)
  }
}

/** Literals, and copies as `length << 16 | distance`, of one block. */
interface Steps {
  readonly steps: Uint32Array
  readonly count: number
}

/** Where the beginnings of what was seen lie. It is the same for all: nothing of it outlives a call. */
const newest = new Int32Array(1 << 15)
const before = new Int32Array(windowBytes)

const beginning = (bytes: Uint8Array, at: number): number =>
  Math.imul((bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!, 0x9e3779b1) >>> 17

/** Finds copies in some bytes, from their beginning on. */
class Finder {
  private seen = 0
  private readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    newest.fill(-1)
  }

  /** Everything before `end` may be copied from. */
  private see(end: number): void {
    const { bytes } = this
    for (const last = Math.min(end, bytes.length - minCopy + 1); this.seen < last; this.seen++) {
      const hash = beginning(bytes, this.seen)
      before[this.seen & (windowBytes - 1)] = newest[hash]!
      newest[hash] = this.seen
    }
  }

  /** The longest copy for what stands at a place, as a step; 0 for none. */
  find(at: number): number {
    const { bytes } = this
    const most = Math.min(maxCopy, bytes.length - at)
    if (most < minCopy) return 0
    this.see(at)
    let [length, distance] = [minCopy - 1, 0]
    let from = newest[beginning(bytes, at)]!
    for (let left = placesTried; from >= 0 && at - from <= windowBytes && left > 0; left--) {
      if (bytes[from + length] === bytes[at + length]) {
        let same = 0
        while (same < most && bytes[from + same] === bytes[at + same]) same++
        if (same > length) [length, distance] = [same, at - from]
        if (length >= longEnough || length === most) break
      }
      const next = before[from & (windowBytes - 1)]!
      // What is older was written over.
      if (next >= from) break
      from = next
    }
    return length < minCopy ? 0 : (length << 16) | distance
  }
}

/** What is written of some bytes, block by block, each with where it ends. */
function* blocksOf(bytes: Uint8Array): Generator<Steps & { readonly begin: number; readonly end: number }, void> {
  const finder = new Finder(bytes)
  let [at, begin, count] = [0, 0, 0]
  const steps = new Uint32Array(stepsOfBlock)
  let next = finder.find(0)
  while (at < bytes.length) {
    const found = next
    // A longer copy may begin one byte later.
    next = at + 1 < bytes.length && found >>> 16 < longEnough ? finder.find(at + 1) : 0
    if (found === 0 || next >>> 16 > found >>> 16) steps[count++] = bytes[at++]!
    else {
      steps[count++] = found
      at += found >>> 16
      next = finder.find(at)
    }
    if (count < stepsOfBlock) continue
    yield { steps, count, begin, end: at }
    count = 0
    begin = at
  }
  // No bytes are a block too.
  if (count > 0 || at === 0) yield { steps, count, begin, end: at }
}

/** How often each symbol stands in a block. */
const timesOf = ({ count, steps }: Steps) => {
  const literal = new Uint32Array(literalSymbols)
  const distance = new Uint32Array(distanceSymbols)
  literal[endOfBlock] = 1
  for (let at = 0; at < count; at++) {
    const step = steps[at]!
    const length = step >>> 16
    const symbol = length === 0 ? step : firstLength + lengthSymbols[length]!
    literal[symbol] = literal[symbol]! + 1
    if (length === 0) continue
    const far = distanceSymbolOf[step & 0xffff]!
    distance[far] = distance[far]! + 1
  }
  return { literal, distance }
}

/** The lengths of codes as they are told: each symbol, and what follows it. */
const toldLengths = (bits: Uint8Array): ReadonlyArray<readonly [symbol: number, extra: number, extraBits: number]> => {
  const told: Array<readonly [number, number, number]> = []
  for (let at = 0; at < bits.length;) {
    const value = bits[at]!
    let run = 1
    while (at + run < bits.length && bits[at + run] === value) run++
    if (value === 0 && run >= 3) {
      const times = Math.min(run, 138)
      told.push(times < 11 ? [17, times - 3, 3] : [18, times - 11, 7])
      at += times
      continue
    }
    told.push([value, 0, 0])
    at++
    for (run--; value !== 0 && run >= 3;) {
      const times = Math.min(run, 6)
      told.push([16, times - 3, 2])
      at += times
      run -= times
    }
  }
  return told
}

const without = (bits: Uint8Array, least: number): Uint8Array => {
  let length = bits.length
  while (length > least && bits[length - 1] === 0) length--
  return bits.subarray(0, length)
}

/** Codes of a block's own, and how they are told. */
const ownCodes = ({ distance, literal }: ReturnType<typeof timesOf>) => {
  const literals = without(codeLengths(literal, maxCodeBits), firstLength)
  const far = without(codeLengths(distance, maxCodeBits), 1)
  const both = new Uint8Array(literals.length + far.length)
  both.set(literals)
  both.set(far, literals.length)
  const told = toldLengths(both)
  const times = new Uint32Array(lengthOrder.length)
  for (const [symbol] of told) times[symbol] = times[symbol]! + 1
  return { literals, far, told, lengthBits: codeLengths(times, 7) }
}

/** How many bits symbols take that stand so often, with what follows each. */
const bitsOf = (times: Uint32Array, bits: Uint8Array, first: number, { extraBits }: Ranges): number =>
  times.reduce((sum, each, symbol) => sum + each * ((bits[symbol] ?? 0) + (extraBits[symbol - first] ?? 0)), 0)

const writeHead = (out: Writer, { far, lengthBits, literals, told }: ReturnType<typeof ownCodes>): void => {
  let count = lengthOrder.length
  while (count > 4 && lengthBits[lengthOrder[count - 1]!] === 0) count--
  out.put(literals.length - firstLength, 5)
  out.put(far.length - 1, 5)
  out.put(count - 4, 4)
  for (const symbol of lengthOrder.slice(0, count)) out.put(lengthBits[symbol]!, 3)
  const codes = codesOf(lengthBits)
  for (const [symbol, extra, extraBits] of told) {
    out.put(codes[symbol]!, lengthBits[symbol]!)
    out.put(extra, extraBits)
  }
}

const writeSteps = (out: Writer, { count, steps }: Steps, literalBits: Uint8Array, farBits: Uint8Array): void => {
  const [literals, far] = [codesOf(literalBits), codesOf(farBits)]
  for (let at = 0; at < count; at++) {
    const step = steps[at]!
    const length = step >>> 16
    if (length === 0) {
      out.put(literals[step]!, literalBits[step]!)
      continue
    }
    const [which, distance] = [lengthSymbols[length]!, step & 0xffff]
    out.put(literals[firstLength + which]!, literalBits[firstLength + which]!)
    out.put(length - lengths.first[which]!, lengths.extraBits[which]!)
    const symbol = distanceSymbolOf[distance]!
    out.put(far[symbol]!, farBits[symbol]!)
    out.put(distance - distances.first[symbol]!, distances.extraBits[symbol]!)
  }
  out.put(literals[endOfBlock]!, literalBits[endOfBlock]!)
}

const writePlain = (out: Writer, bytes: Uint8Array, isLast: boolean): void => {
  let at = 0
  do {
    const part = bytes.subarray(at, at + plainBytes)
    at += part.length
    out.put(isLast && at === bytes.length ? 1 : 0, 3)
    out.toByte()
    out.put(part.length, 16)
    out.put(part.length ^ 0xffff, 16)
    out.raw(part)
  } while (at < bytes.length)
}

/** Writes a block in the shortest of three ways: by codes of its own, by those that all know, or as it is. */
const writeBlock = (out: Writer, block: Steps, bytes: Uint8Array, isLast: boolean): void => {
  const times = timesOf(block)
  const own = ownCodes(times)
  const sizeBy = (literals: Uint8Array, far: Uint8Array): number =>
    bitsOf(times.literal, literals, firstLength, lengths) + bitsOf(times.distance, far, 0, distances)
  const headBits = own.told.reduce(
    (sum, [symbol, , extraBits]) => sum + own.lengthBits[symbol]! + extraBits,
    14 + 3 * 19
  )
  const [ownBits, knownBits] = [headBits + sizeBy(own.literals, own.far), sizeBy(fixedLiterals, fixedDistances)]
  if (bytes.length * 8 + 40 * Math.ceil((bytes.length + 1) / plainBytes) < Math.min(ownBits, knownBits))
    return writePlain(out, bytes, isLast)
  const isKnown = knownBits <= ownBits
  out.put((isLast ? 1 : 0) | (isKnown ? 2 : 4), 3)
  if (!isKnown) writeHead(out, own)
  writeSteps(out, block, isKnown ? fixedLiterals : own.literals, isKnown ? fixedDistances : own.far)
}

/** How many bytes may be added up before a sum is brought back below its modulus. */
const sumsAtOnce = 3_800

/** Adler-32. */
const checksumOf = (bytes: Uint8Array): number => {
  let [low, high] = [1, 0]
  for (let at = 0; at < bytes.length;) {
    for (const end = Math.min(at + sumsAtOnce, bytes.length); at < end; at++) {
      low += bytes[at]!
      high += low
    }
    low %= 65_521
    high %= 65_521
  }
  return high * 65_536 + low
}

/** The bytes, deflated, in zlib's form. */
export const deflated = (bytes: Uint8Array): Uint8Array => {
  const out = new Writer(64 + (bytes.length >> 1))
  out.raw(Uint8Array.of(0x78, 0x9c))
  for (const block of blocksOf(bytes))
    writeBlock(out, block, bytes.subarray(block.begin, block.end), block.end === bytes.length)
  out.toByte()
  const sum = new Uint8Array(4)
  new DataView(sum.buffer).setUint32(0, checksumOf(bytes))
  out.raw(sum)
  return out.written()
}
