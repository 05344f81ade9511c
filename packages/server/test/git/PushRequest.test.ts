import * as FastCheck from "fast-check"
import { describe, expect, it } from "vitest"
import { textOf } from "@pawl/core/primitives/Utf8"
import { flush, line, lineAt } from "../../src/git/PktLine.ts"
import { reportOf } from "../../src/git/PushReport.ts"
import { parsePush, zero } from "../../src/git/PushRequest.ts"

const id = "a".repeat(40)
const update = (ref: string, words = "") => line(`${zero} ${id} ${ref}${words}\n`)
const ref = "refs/changes/chg_00000000-0000-4000-8000-000000000000"

/** The lines of an answer with their bands. */
const linesOf = (answer: Uint8Array): ReadonlyArray<string | null> => {
  const lines: Array<string | null> = []
  for (let at = 0; at < answer.length;) {
    const read = lineAt(answer, at)
    if (read === undefined) throw new Error("no line")
    lines.push(read.body === null ? null : textOf(read.body))
    at = read.next
  }
  return lines
}

describe("a push", () => {
  it("is read with its refs, its capabilities and its pack", () => {
    const body = Buffer.concat([
      line(`shallow ${id}\n`),
      update(ref, "\0 report-status side-band-64k agent=git/2"),
      update("refs/tags/v1"),
      flush,
      Buffer.from("PACK…")
    ])
    const request = parsePush(body)
    expect(request?.updates).toEqual([
      { from: zero, to: id, ref },
      { from: zero, to: id, ref: "refs/tags/v1" }
    ])
    expect(request?.capabilities.has("report-status")).toBe(true)
    expect(textOf(request?.pack ?? flush)).toBe("PACK…")
    expect(parsePush(flush)).toMatchObject({ updates: [] })
  })

  it.each([
    ["no end", update(ref)],
    ["a name with a line's end", Buffer.concat([update("refs/heads/a\nng refs/x"), flush])],
    ["a name with a space", Buffer.concat([update("refs/heads/a b"), flush])],
    ["a name out of refs", Buffer.concat([update("--upload-pack=x"), flush])],
    ["an id that is none", Buffer.concat([line(`${zero} ${"x".repeat(40)} ${ref}`), flush])],
    ["an id of another length", Buffer.concat([line(`${zero} ${"a".repeat(64)} ${ref}`), flush])],
    ["a signed push", Buffer.concat([line("push-cert\0 x\n"), flush])],
    ["a length beyond its end", Buffer.from("ffffabc")],
    ["a length that is too short", Buffer.from("0003")],
    ["more refs than anyone means", Buffer.concat([...Array.from({ length: 101 }, () => update(ref)), flush])]
  ])("is not taken with %s", (_title, body) => {
    expect(parsePush(body)).toBeUndefined()
  })

  it("is read or not, whatever its bytes are", () => {
    const pieces = FastCheck.oneof(
      FastCheck.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
      FastCheck.string({ maxLength: 80 }).map((text) => line(text)),
      FastCheck.string({ maxLength: 80 }).map((text) => line(`${zero} ${id} refs/${text}`)),
      FastCheck.constant(flush)
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.array(pieces, { minLength: 1, maxLength: 6 }), (parts) => {
        const request = parsePush(Buffer.concat(parts))
        for (const each of request?.updates ?? []) expect(each.ref).toMatch(/^refs\/[^\s\0]+$/u)
      }),
      { numRuns: 5_000, seed: 1 }
    )
  })

  it("is answered in the bands that its client can read, with no control character of what was pushed", () => {
    const request = (words: string) => parsePush(Buffer.concat([update(ref, `\0${words}`), flush]))!
    const outcome = { refused: "no\u001b[2J", says: ["a\u0007b", "c".repeat(70_000)] }
    const banded = linesOf(reportOf(request("report-status side-band-64k"), outcome))
    expect(banded.at(-1)).toBeNull()
    expect(banded.every((each) => each === null || Buffer.byteLength(each) <= 65_516)).toBe(true)
    const said = banded
      .filter((each) => each?.startsWith("\u0002") === true)
      .map((each) => each?.slice(1))
      .join("")
    expect(said).toBe(`a b\n${"c".repeat(70_000)}\n`)
    const report = banded.find((each) => each?.startsWith("\u0001") === true)
    expect(report).toContain(`ng ${ref} no [2J\n`)
    expect(linesOf(reportOf(request("report-status"), outcome))).toEqual(["unpack ok\n", `ng ${ref} no [2J\n`, null])
    expect(linesOf(reportOf(request("report-status"), { refused: null, says: [] }))[1]).toBe(`ok ${ref}\n`)
    expect(reportOf(request(""), outcome)).toHaveLength(0)
  })
})
