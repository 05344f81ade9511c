import * as fc from "fast-check"
import { Effect, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { DiffPieces } from "../../../src/http/groups/DiffPieces.ts"
import { asBase64, asJsonText, isText } from "../../../src/http/answer/JsonPieces.ts"

/** A file of a diff as git writes it, and what it is as JSON. */
const anyFile = fc.record({
  path: fc.constantFrom("a.txt", "src/b.js", "é.md", 'with"quote'),
  lines: fc.array(
    fc.constantFrom(
      "+one",
      "-two",
      " diff --git a/x b/x",
      "+@@ -1 +1 @@",
      "\\ No newline at end of file",
      `+${"x".repeat(90)}`,
      "+é\u{1f600}\u0001",
      " Binary files x"
    ),
    { maxLength: 6 }
  ),
  kind: fc.constantFrom("patch", "empty", "binary")
})

const written = (files: ReadonlyArray<{ path: string; lines: ReadonlyArray<string>; kind: string }>) =>
  files.map(({ kind, lines, path }) => {
    const head = `diff --git a/${path} b/${path}\nindex 1..2 100644\n`
    const text =
      kind === "binary"
        ? `${head}Binary files a/${path} and b/${path} differ\n`
        : kind === "empty"
          ? head
          : `${head}--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n${lines.map((line) => `${line}\n`).join("")}`
    const change = { path, status: "modified" as const, additions: lines.length, deletions: 0 }
    return { change, text, patch: kind === "binary" ? "" : text }
  })

const cut = (text: string, at: ReadonlyArray<number>): ReadonlyArray<string> => {
  const places = [0, ...at.map((each) => each % (text.length + 1)).toSorted((a, b) => a - b), text.length]
  return places.slice(1).map((place, index) => text.slice(places[index], place))
}

describe("A diff in pieces", () => {
  it("is the same files as JSON, wherever it is cut", () => {
    fc.assert(
      fc.property(fc.array(anyFile, { maxLength: 5 }), fc.array(fc.nat(2000), { maxLength: 40 }), (files, at) => {
        const all = written(files)
        const pieces = new DiffPieces(all.map(({ change }) => change))
        // Characters are whole, as a decoder gives them.
        const parts = cut(all.map(({ text }) => text).join(""), at).map((part) => Array.from(part).join(""))
        const json = `[${parts.map((part) => pieces.feed(part)).join("")}${pieces.end()}]`
        expect(JSON.parse(json)).toEqual(all.map(({ change, patch }) => ({ ...change, patch })))
      }),
      { numRuns: 500 }
    )
  })

  it("keeps no more of a line of many megabytes than came", () => {
    const [{ change, text }] = written([{ path: "a.txt", lines: [`+${"y".repeat(5_000_000)}`], kind: "patch" }]) as [
      ReturnType<typeof written>[number]
    ]
    const pieces = new DiffPieces([change])
    const told = cut(
      text,
      Array.from({ length: 100 }, (_, index) => index * 50_000)
    ).map((part) => pieces.feed(part))
    expect(Math.max(...told.map((each) => each.length))).toBeLessThan(200_000)
    expect(JSON.parse(`[${told.join("")}${pieces.end()}]`)).toEqual([{ ...change, patch: text }])
  })

  it("of more or fewer files than changed is none", () => {
    const [first, second] = written([
      { path: "a.txt", lines: ["+1"], kind: "patch" },
      { path: "b.txt", lines: ["+1"], kind: "patch" }
    ]) as [ReturnType<typeof written>[number], ReturnType<typeof written>[number]]
    expect(() => new DiffPieces([first.change]).feed(first.text + second.text)).toThrow(/more files/)
    const short = new DiffPieces([first.change, second.change])
    short.feed(first.text)
    expect(() => short.end()).toThrow(/not whole/)
    const broken = new DiffPieces([first.change])
    broken.feed(`${first.text}+bro`)
    expect(() => broken.end()).toThrow(/not whole/)
  })
})

describe("A file in pieces", () => {
  const piecesOf = (bytes: Uint8Array, size: number) =>
    Stream.fromIterable(
      Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size)
      )
    )
  const joined = (stream: Stream.Stream<string>) => Effect.runSync(Stream.mkString(stream))

  it("is its text or its base64, wherever it is cut", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 60 }),
        fc.string({ unit: "grapheme" }),
        fc.integer({ min: 1, max: 9 }),
        (bytes, text, size) => {
          expect(joined(asBase64(piecesOf(bytes, size)))).toBe(Buffer.from(bytes).toString("base64"))
          const utf8 = new TextEncoder().encode(`\ufeff${text}`)
          expect(JSON.parse(`"${joined(asJsonText(piecesOf(utf8, size)))}"`)).toBe(`\ufeff${text}`.toWellFormed())
          expect(Effect.runSync(isText(piecesOf(utf8, size)))).toBe(!text.includes("\0"))
        }
      )
    )
    for (const bytes of [[0xff], [0xc3], [0x61, 0], [0xe2, 0x82]])
      expect(Effect.runSync(isText(piecesOf(Uint8Array.from(bytes), 1)))).toBe(false)
  })
})
