/** Deflating and inflating without zlib, each held against zlib itself. */
import { constants, deflateRawSync, deflateSync, inflateRawSync, inflateSync } from "node:zlib"
import { deflated } from "@pawl/adapters-cloudflare/repositories/zlib/Deflated"
import { inflatedAt } from "@pawl/adapters-cloudflare/repositories/zlib/Inflated"
import { rounds, seed } from "@pawl/testing/Depth"
import * as FastCheck from "fast-check"
import { describe, expect, it } from "vitest"

const plain = (bytes: Iterable<number>): Uint8Array => Uint8Array.from(bytes)

/** Weights that double from symbol to symbol, for which the best codes are longer than the format has. */
const steep = plain(
  Array.from({ length: 22 }, (_, symbol) => Array.from({ length: 2 ** symbol / 2 ** 4 + 1 }, () => symbol)).flat()
)

const edges: ReadonlyArray<readonly [string, Uint8Array]> = [
  ["nothing", new Uint8Array()],
  ["one byte", Uint8Array.of(7)],
  ["one byte again and again", new Uint8Array(100_000)],
  ["the same far back", plain([...new Uint8Array(32_768).map((_, at) => (at * at) % 251), 1, 4, 9, 16, 25, 36])],
  ["counts that double", steep],
  ["more than one block", plain(Array.from({ length: 120_000 }, (_, at) => Math.imul(at, 2_654_435_761) >>> 24))]
]

/** Bytes that repeat themselves, of few kinds or of many. */
const bytes = FastCheck.tuple(
  FastCheck.uint8Array({ maxLength: 600 }),
  FastCheck.integer({ min: 1, max: 256 }),
  FastCheck.array(FastCheck.tuple(FastCheck.nat(900), FastCheck.nat(300)), { maxLength: 12 })
).map(([start, kinds, copies]) => {
  let made: Uint8Array = start.map((each) => each % kinds)
  for (const [from, length] of copies)
    made = plain([...made, ...made.subarray(from % (made.length + 1)).slice(0, length)])
  return made
})

const strategies = [constants.Z_DEFAULT_STRATEGY, constants.Z_HUFFMAN_ONLY, constants.Z_RLE, constants.Z_FIXED] as const

/** As zlib wrote it, in the midst of other bytes. */
const amid = (packed: Uint8Array): Uint8Array => plain([1, 2, 3, ...packed, 0xff, 0x00, 0xff])

describe("Deflating without zlib", () => {
  it.each(edges)("is inflated by zlib, which checks its sum: %s", (_, given) => {
    expect(plain(inflateSync(deflated(given)))).toEqual(given)
  })

  it("is inflated by zlib, whatever was deflated", () => {
    FastCheck.assert(
      FastCheck.property(bytes, (given) => {
        expect(plain(inflateSync(deflated(given)))).toEqual(given)
      }),
      { numRuns: rounds({ quick: 100, deep: 5000 }), seed }
    )
  })

  it("makes a text about as small as zlib does", () => {
    const text = new TextEncoder().encode(
      Array.from({ length: 4000 }, (_, at) => `const value${at % 61} = ${at * at}\n`).join("")
    )
    expect(deflated(text).length).toBeLessThan(deflateSync(text).length * 1.1)
  })
})

describe("Inflating without zlib", () => {
  it.each(edges)("is what zlib deflated, and says where that ended: %s", (_, given) => {
    for (const level of [0, 1, 6, 9])
      for (const strategy of strategies) {
        const packed = deflateSync(given, { level, strategy })
        const found = inflatedAt(amid(packed), 3, given.length)
        expect(found?.end).toBe(3 + packed.length)
        // Comparing byte by byte takes the runner seconds.
        expect(Buffer.compare(found?.bytes ?? new Uint8Array(), given)).toBe(0)
      }
  })

  it("is nothing of another size, and nothing of what was cut off", () => {
    FastCheck.assert(
      FastCheck.property(bytes, FastCheck.constantFrom(...strategies), FastCheck.nat(), (given, strategy, cut) => {
        const packed = plain(deflateSync(given, { strategy }))
        expect(inflatedAt(packed, 0, given.length)).toEqual({ bytes: given, end: packed.length })
        expect(inflatedAt(packed, 0, given.length + 1)).toBeNull()
        if (given.length > 0) expect(inflatedAt(packed, 0, given.length - 1)).toBeNull()
        expect(inflatedAt(packed.subarray(0, cut % packed.length), 0, given.length)).toBeNull()
      }),
      { numRuns: rounds({ quick: 100, deep: 5000 }), seed }
    )
  })

  it("takes what was damaged exactly where zlib does, and makes the same of it", () => {
    const taken = { yes: 0, no: 0 }
    FastCheck.assert(
      FastCheck.property(bytes, FastCheck.constantFrom(...strategies), FastCheck.nat(), (given, strategy, place) => {
        const packed = plain(deflateRawSync(given, { strategy }))
        packed[(place >> 3) % packed.length]! ^= 1 << (place & 7)
        let theirs: Uint8Array | null = null
        try {
          theirs = plain(inflateRawSync(packed, { maxOutputLength: 1_000_000 }))
        } catch {
          theirs = null
        }
        // Six bytes are zlib's own form around it, of which the sum is not looked at.
        const framed = plain([0x78, 0x9c, ...packed, 0, 0, 0, 0])
        const ours = inflatedAt(framed, 0, theirs?.length ?? given.length)
        taken[theirs === null ? "no" : "yes"]++
        expect(ours?.bytes ?? null).toEqual(theirs)
      }),
      { numRuns: rounds({ quick: 400, deep: 20_000 }), seed }
    )
    expect(Math.min(taken.yes, taken.no)).toBeGreaterThan(0)
  })
})
