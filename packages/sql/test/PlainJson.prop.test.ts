import * as FastCheck from "fast-check"
import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { plainJson } from "@pawl/core/primitives/PlainJson"
import { table } from "@pawl/sql/Tables"
import { encoderOf, plainKinds, recordsOf, texts } from "./AnyRecord.ts"

type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }
const jsonOf = (value: unknown): Json => JSON.parse(JSON.stringify(value))

const strange = FastCheck.oneof(
  FastCheck.constantFrom(undefined, null, true, 7, "", "proj_1", [], {}, ["x"], { extra: 1 }),
  texts
)

/** The value with something else somewhere in it: another value, a key less, or a key more. */
const spoilt = (value: unknown, path: ReadonlyArray<number>, other: unknown): unknown => {
  if (typeof value !== "object" || value === null || path.length === 0) return other
  if (Array.isArray(value))
    return value.map((each, at) => (at === path[0]! % value.length ? spoilt(each, path.slice(1), other) : each))
  const keys = [...Object.keys(value), "another"]
  const key = keys[path[0]! % keys.length]!
  const { [key]: old, ...rest } = value as Readonly<Record<string, unknown>>
  return path[1] === 0 ? rest : { ...rest, [key]: spoilt(old, path.slice(1), other) }
}

describe("plain records", () => {
  it("knows every kind but the webhook, which hides its secret, as plain", () => {
    expect(plainKinds.filter((kind) => plainJson(table(kind).entity.schema) === null)).toEqual([])
    expect(plainJson(table("webhook").entity.schema)).toBeNull()
  })

  it.each(plainKinds)("stores any %s as its schema would encode it, and reads the same back", (kind) => {
    const { decode, encode, entity } = table(kind)
    const isPlain = plainJson(entity.schema)!.check
    FastCheck.assert(
      FastCheck.property(recordsOf(kind), (record) => {
        expect(isPlain(record)).toBe(true)
        expect(JSON.parse(encode(record))).toEqual(jsonOf(Result.getOrThrow(encoderOf(kind)(record))))
        expect(jsonOf(Result.getOrThrow(decode(encode(record))))).toEqual(jsonOf(record))
      }),
      { numRuns: 100 }
    )
  })

  it.each(plainKinds)("never takes for plain a %s that its schema refuses or changes", (kind) => {
    const { schema } = table(kind).entity
    const { check, has, read } = plainJson(schema)!
    const is = Schema.is(schema)
    const path = FastCheck.array(FastCheck.nat(40), { minLength: 1, maxLength: 6 })
    let seen = 0
    FastCheck.assert(
      FastCheck.property(recordsOf(kind), path, strange, (record, where, other) => {
        const bad = spoilt(record, where, other)
        if (has(bad)) expect(is(bad)).toBe(true)
        if (!check(bad)) return void seen++
        const encoded = jsonOf(Result.getOrThrow(encoderOf(kind)(bad)))
        expect(read === null ? encoded : jsonOf(read(encoded))).toEqual(jsonOf(bad))
      }),
      { numRuns: 300 }
    )
    expect(seen).toBeGreaterThan(0)
  })

  it("refuses to store what is not a record of its kind", () => {
    const { encode } = table("head")
    expect(() => encode({ projectId: "another", generation: 1, commit: "", tree: "", syncedGeneration: 0 })).toThrow()
  })
})
