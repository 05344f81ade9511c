import * as FastCheck from "fast-check"
import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import * as KnownTexts from "@pawl/sql/KnownTexts"
import { table } from "@pawl/sql/Tables"
import { rounds, seed } from "@pawl/testing/Depth"
import { plainKinds, recordsOf } from "./AnyRecord.ts"

const head = { projectId: "proj_00000000-0000-4000-8000-000000000001", generation: 1, commit: "a".repeat(40) }
const text = JSON.stringify({ ...head, tree: "b".repeat(40), syncedGeneration: 0 })

describe("a text that was read before", () => {
  it("is the same record, which nobody can change", () => {
    const { decode } = table("head")
    const first = Result.getOrThrow(decode(text)) as { generation: number }
    expect(Result.getOrThrow(decode(text))).toBe(first)
    expect(() => (first.generation = 2)).toThrow(TypeError)
    expect(Result.getOrThrow(decode(text.replace('"generation":1', '"generation":2')))).toMatchObject({ generation: 2 })
  })

  it("is no record of another kind", () => {
    Result.getOrThrow(table("head").decode(text))
    expect(Result.isFailure(table("change").decode(text))).toBe(true)
    expect(Result.isSuccess(table("head").decode(text))).toBe(true)
  })

  it("is forgotten when it was not read while many others were, and is kept while it is read", () => {
    const known = KnownTexts.make<object>()
    const kept = {}
    known.keep("kept", kept)
    known.keep("left", {})
    for (let n = 0; n < 1000; n++) {
      known.keep(`${n}${"x".repeat(10_000)}`, {})
      expect(known.get("kept")).toBe(kept)
    }
    expect(known.get("left")).toBeUndefined()
  })

  it("is never what its row said before or after, nor what another row says", () => {
    const known = KnownTexts.make<string>()
    known.keep("one", "first", "row 1")
    known.keep("two", "second", "row 1")
    known.keep("six", "third", "row 2")
    expect(["one", "two", "six"].map((each) => known.get(each, "row 1"))).toEqual(["first", "second", "third"])
    expect(known.get("ten", "row 1")).toBeUndefined()
    expect(known.get("two", "row 3")).toBe("second")
  })
})

/** JSON has one zero. */
const withoutMinus = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** A schedule may hold `undefined`, which is `null` in JSON. */
const written = plainKinds.filter((kind) => kind !== "schedule")

describe("a text that was written before", () => {
  it.each(written)(
    "is for any %s the record of which it was written, and what the text alone is decoded to",
    (kind) => {
      const { decode, encode, entity } = table(kind)
      const decodeAnew = Schema.decodeUnknownSync(Schema.fromJsonString(entity.schema))
      FastCheck.assert(
        FastCheck.property(recordsOf(kind), (drawn) => {
          const record = withoutMinus(drawn)
          const stored = encode(record)
          const read = Result.getOrThrow(decode(stored))
          if (stored.length < 100_000) expect(read).toBe(record)
          expect(Object.isFrozen(read)).toBe(true)
          expect(read).toStrictEqual(decodeAnew(stored))
        }),
        { numRuns: rounds({ quick: 8, deep: 30 }), seed }
      )
    }
  )

  it("brings back no key that its schema does not name", () => {
    const { decode, encode } = table("head")
    const stored = encode({ ...(Result.getOrThrow(decode(text.replace("aaa", "abc"))) as object), another: 1 })
    expect(Result.getOrThrow(decode(stored))).not.toHaveProperty("another")
  })
})
