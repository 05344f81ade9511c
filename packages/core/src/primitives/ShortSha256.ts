/**
 * SHA-256 (FIPS 180-4) of a few bytes, at once. Web Crypto answers from another thread: for a token's text the way there
 * and back takes thirty times as long as the digest. It is written here because the core has no dependency but Effect,
 * and the one library that does it at once, `@noble/hashes`, takes twice as long for a token.
 */
/** At most so many bytes. */
export const shortBytes = 1024
const blockBytes = 64

/** The first 32 bits of the fractional parts of a root of the first primes. */
const fractions = (count: number, root: number): Int32Array => {
  const found = new Int32Array(count)
  for (let n = 2, at = 0; at < count; n++) {
    let isPrime = true
    for (let d = 2; d * d <= n; d++) if (n % d === 0) isPrime = false
    if (isPrime) found[at++] = (n ** (1 / root) % 1) * 2 ** 32
  }
  return found
}

const initial = fractions(8, 2)
const constants = fractions(64, 3)

const room = new Uint8Array(shortBytes + 2 * blockBytes)
const message = new DataView(room.buffer)

/** Puts the message into the room, with one bit, zeros, and its length in bits behind it. Answers how long that is. */
const pad = (bytes: Uint8Array): number => {
  const end = Math.ceil((bytes.length + 9) / blockBytes) * blockBytes
  room.set(bytes)
  room.fill(0, bytes.length, end)
  room[bytes.length] = 0x80
  message.setUint32(end - 4, bytes.length * 8)
  return end
}

const rotated = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

const words = new Int32Array(64)

/** Spreads a block of the message over 64 words. */
const schedule = (from: number): void => {
  for (let i = 0; i < 16; i++) words[i] = message.getInt32(from + i * 4)
  for (let i = 16; i < 64; i++) {
    const [early, late] = [words[i - 15]!, words[i - 2]!]
    const s0 = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3)
    const s1 = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10)
    words[i] = (words[i - 16]! + s0 + words[i - 7]! + s1) | 0
  }
}

const compress = (state: Int32Array, from: number): void => {
  schedule(from)
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  let e = state[4]!
  let f = state[5]!
  let g = state[6]!
  let h = state[7]!
  for (let i = 0; i < 64; i++) {
    const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
    const first = (h + s1 + ((e & f) ^ (~e & g)) + constants[i]! + words[i]!) | 0
    const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
    const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  state[0]! += a
  state[1]! += b
  state[2]! += c
  state[3]! += d
  state[4]! += e
  state[5]! += f
  state[6]! += g
  state[7]! += h
}

const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

/** The digest as 64 lowercase hex characters. */
export const shortSha256 = (bytes: Uint8Array): string => {
  const end = pad(bytes)
  const state = initial.slice()
  for (let from = 0; from < end; from += blockBytes) compress(state, from)
  let hex = ""
  for (const word of state)
    hex += `${hexOf[word >>> 24]}${hexOf[(word >>> 16) & 255]}${hexOf[(word >>> 8) & 255]}${hexOf[word & 255]}`
  return hex
}
