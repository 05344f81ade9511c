import * as FastCheck from "fast-check"
import { describe, expect, it } from "vitest"
import { rounds, seed } from "@pawl/testing/Depth"
import { utf8 } from "@pawl/core/primitives/Digest"
import { textOf } from "@pawl/core/primitives/Utf8"
import { changesOf, moved } from "@pawl/adapters-cloudflare/repositories/LineDiff"
import { mergeText } from "@pawl/adapters-cloudflare/repositories/TextMerge"

const merge = (base: string, ours: string, theirs: string) => {
  const merged = mergeText({ base: utf8(base), ours: utf8(ours), theirs: utf8(theirs) })
  return merged === null ? null : textOf(merged)
}

describe("The merge of a text", () => {
  it("puts together what two sides did apart from each other, and takes what both did once", () => {
    expect(merge("a\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n")).toBe("A\nb\nc\nd\nE\n")
    expect(merge("a\nb\nc\n", "a\nx\nb\nc\n", "a\nx\nb\n")).toBe("a\nx\nb\n")
    expect(merge("a\nb\nc\nd\n", "b\nc\nd\n", "a\nb\nc\nd\nlast")).toBe("b\nc\nd\nlast")
  })

  it("is a conflict where both changed one place, where their changes touch, and where bytes are no text", () => {
    expect(merge("a\n", "b\n", "c\n")).toBe(null)
    expect(merge("a\nb\n", "A\nb\n", "a\nB\n")).toBe(null)
    expect(merge("", "b\n", "c\n")).toBe(null)
    expect(merge("\0a\nx\ny\n", "\0b\nx\ny\n", "\0a\nx\nz\n")).toBe(null)
  })

  it("is a conflict where another pairing of equal lines would give another text", () => {
    // One side takes out one of three equal lines, the other puts a line between two of them.
    expect(merge("x\nx\nx\n", "x\nx\n", "x\nnew\nx\nx\n")).toBe(null)
  })

  it("keeps the bytes of any encoding", () => {
    const bytes = (...lines: ReadonlyArray<ReadonlyArray<number>>) =>
      Uint8Array.from(lines.flatMap((line) => [...line, 10]))
    const base = bytes([0xe9], [1], [2], [0xff])
    const ours = bytes([0xe8], [1], [2], [0xff])
    const theirs = bytes([0xe9], [1], [2], [0xfe])
    expect(mergeText({ base, ours, theirs })).toEqual(bytes([0xe8], [1], [2], [0xfe]))
  })
})

describe("The changes between two texts", () => {
  it("make of the one the other, stand apart, and still do when they are moved as far as they go", () => {
    const lines = FastCheck.array(FastCheck.constantFrom("a\n", "b\n", "c\n", "d\n", "}\n"), {
      maxLength: 30,
      size: "max"
    })
    const property = FastCheck.property(lines, lines, (old, now) => {
      const changes = changesOf(old, now)
      for (const each of [changes, moved(changes, old, now, 1), moved(changes, old, now, -1)]) {
        const made: Array<string> = []
        let read = 0
        for (const [at, { end, newEnd, newStart, start }] of each.entries()) {
          if (at > 0) expect(start).toBeGreaterThan(read)
          made.push(...old.slice(read, start))
          expect(made.length).toBe(newStart)
          made.push(...now.slice(newStart, newEnd))
          read = end
        }
        expect([...made, ...old.slice(read)]).toEqual(now)
      }
    })
    FastCheck.assert(property, { numRuns: rounds({ quick: 300, deep: 5000 }), seed })
  })

  it("of texts with nothing in common are one change, however long they are", () => {
    const long = (word: string) =>
      Array.from({ length: 4000 }, (_, n) => (n % 2 === 0 ? `${word}\n` : `${word}${word}\n`))
    expect(changesOf(long("a"), long("b"))).toEqual([{ start: 0, end: 4000, newStart: 0, newEnd: 4000 }])
  })
})
