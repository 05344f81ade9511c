import * as FastCheck from "fast-check"
import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { plainJson } from "@pawl/core/primitives/PlainJson"
import { table } from "@pawl/sql/Tables"
import { rounds, seed } from "@pawl/testing/Depth"
import { plainKinds, recordsOf, texts } from "./AnyRecord.ts"

const strange = FastCheck.oneof(
  FastCheck.constantFrom(undefined, null, true, 7, Number.NaN, "", "proj_1", [], {}, ["x"], { extra: 1 }),
  texts
)

/** A schedule may hold `undefined`, which is `null` in JSON: it is left to the schema. */
const written = plainKinds.filter((kind) => kind !== "schedule")

/** The same record with its keys in another order, and one more that its schema does not name. */
const turned = (record: unknown): Record<string, unknown> =>
  Object.fromEntries([["another", 1], ...Object.entries(record as object).reverse()])

describe("what is written of a record", () => {
  it.each(written)("is for any %s the text of what its schema encodes it to, in the schema's order", (kind) => {
    const schema = Schema.toCodecJson(table(kind).entity.schema)
    const { read, write } = plainJson(schema)!
    const encode = Schema.encodeUnknownSync(schema)
    FastCheck.assert(
      FastCheck.property(recordsOf(kind), (record) => {
        expect(write(record)).toBe(JSON.stringify(encode(record)))
        expect(write(turned(record))).toBe(JSON.stringify(encode(record)))
        const json: unknown = JSON.parse(write(record)!)
        expect(read === null ? json : read(json)).toEqual(JSON.parse(JSON.stringify(record)))
        const page = Schema.Struct({ items: Schema.Array(schema), next: Schema.NullOr(Schema.String) })
        const two = { next: null, items: [record, turned(record)] }
        expect(plainJson(page)!.write(two)).toBe(JSON.stringify(Schema.encodeUnknownSync(page)(two)))
      }),
      { numRuns: rounds({ quick: 8, deep: 30 }), seed }
    )
  })

  it.each(written)("is nothing for a %s that its schema refuses", (kind) => {
    const schema = Schema.toCodecJson(table(kind).entity.schema)
    const write = plainJson(schema)!.write
    const encode = Schema.encodeUnknownResult(schema)
    FastCheck.assert(
      FastCheck.property(recordsOf(kind), FastCheck.nat(40), strange, (record, at, other) => {
        const keys = Object.keys(record as object)
        const bad = { ...(record as object), [keys[at % keys.length]!]: other }
        const encoded = encode(bad)
        const expected = Result.isSuccess(encoded) ? JSON.stringify(encoded.success) : undefined
        expect(write(bad)).toBe(expected)
      }),
      { numRuns: rounds({ quick: 25, deep: 100 }), seed }
    )
  })

  it("is remembered of what cannot change, and of nothing else", () => {
    const write = plainJson(Schema.Struct({ name: Schema.String }))!.write
    const open = { name: "one" }
    expect(write(open)).toBe('{"name":"one"}')
    open.name = "two"
    expect(write(open)).toBe('{"name":"two"}')
    Object.freeze(open)
    expect([write(open), write(open)]).toEqual(['{"name":"two"}', '{"name":"two"}'])
  })

  it("is left to the schema where that changes something", () => {
    expect(plainJson(Schema.Struct({ at: Schema.NumberFromString }))).toBeNull()
    expect(plainJson(Schema.toCodecJson(Schema.Struct({ any: Schema.Number })))).toBeNull()
  })
})
