/** The runtime's zlib, which says where an entry of a pack ended, in workerd. */
import { constants, deflateSync } from "node:zlib"
import { rounds, seed } from "@pawl/testing/Depth"
import * as FastCheck from "fast-check"
import { describe, expect, it } from "vitest"
import { deflated, inflatedAt } from "../../../src/repositories/Deflate.ts"

const plain = (bytes: Iterable<number>): Uint8Array => Uint8Array.from(bytes)

/** Bytes that repeat themselves, of few kinds or of many. */
const bytes = FastCheck.tuple(FastCheck.uint8Array({ maxLength: 600 }), FastCheck.nat(40)).map(([start, times]) =>
  plain(Array.from({ length: times + 1 }, () => [...start]).flat())
)

/** In the midst of other bytes. */
const amid = (packed: Uint8Array): Uint8Array => plain([1, 2, 3, ...packed, 0xff, 0x00, 0xff])

const strategy = FastCheck.constantFrom(
  constants.Z_DEFAULT_STRATEGY,
  constants.Z_HUFFMAN_ONLY,
  constants.Z_RLE,
  constants.Z_FIXED
)

describe("Inflating in workerd", () => {
  it("makes what was deflated of it, and says where that ended", () => {
    FastCheck.assert(
      FastCheck.property(bytes, FastCheck.nat(9), strategy, (given, level, how) => {
        for (const packed of [deflateSync(given, { level, strategy: how }), deflated(given)]) {
          const found = inflatedAt(amid(packed), 3, given.length)
          expect(found).toEqual({ bytes: given, end: 3 + packed.length })
        }
      }),
      { numRuns: rounds({ quick: 50, deep: 2000 }), seed }
    )
  })

  it("is nothing of another size, of what was cut off, and of what was damaged", () => {
    FastCheck.assert(
      FastCheck.property(bytes, FastCheck.nat(), (given, place) => {
        const packed = plain(deflated(given))
        expect(inflatedAt(packed, 0, given.length + 1)).toBeNull()
        if (given.length > 0) expect(inflatedAt(packed, 0, given.length - 1)).toBeNull()
        expect(inflatedAt(packed.subarray(0, place % packed.length), 0, given.length)).toBeNull()
        // The sum of what is unpacked stands at the end.
        packed[packed.length - 1 - (place % 4)]! ^= 1 << (place % 8)
        expect(inflatedAt(packed, 0, given.length)).toBeNull()
      }),
      { numRuns: rounds({ quick: 50, deep: 2000 }), seed }
    )
  })

  it("unpacks no more than it was told to expect", () => {
    const much = deflated(new Uint8Array(2 ** 22))
    expect(inflatedAt(much, 0, 10)).toBeNull()
    expect(inflatedAt(much, 0, 2 ** 22)?.end).toBe(much.length)
  })
})
