/** Names on the wire are said once, and whoever writes JSON by a schema can look them up. */
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { plainJson } from "@pawl/core/primitives/PlainJson"
import { withWireNames } from "@pawl/core/primitives/WireNames"

const Inner = Schema.Struct({ bundleKey: Schema.String, at: Schema.Finite }).pipe(
  withWireNames({ bundleKey: "bundle_key" })
)
const Outer = Schema.Struct({
  projectId: Schema.String,
  lastGood: Schema.optionalKey(Schema.NullOr(Inner)),
  older: Schema.Array(Inner)
}).pipe(withWireNames({ projectId: "project_id", lastGood: "last_good" }))

const record = { projectId: "p", lastGood: { bundleKey: "k", at: 1 }, older: [{ bundleKey: "l", at: 2 }] }
const wire = { project_id: "p", last_good: { bundle_key: "k", at: 1 }, older: [{ bundle_key: "l", at: 2 }] }

describe("names on the wire", () => {
  it("are what a schema encodes to and decodes from", () => {
    expect(Schema.encodeSync(Outer)(record)).toEqual(wire)
    expect(Schema.decodeUnknownSync(Outer)(wire)).toEqual(record)
    expect(() => Schema.decodeUnknownSync(Outer)(record)).toThrow()
  })

  it("are written and read straight from the schema, in what a record holds too", () => {
    const { check, read, write } = plainJson(Outer)!
    expect([check(record), check(wire)]).toEqual([true, false])
    expect([write(record), write(wire)]).toEqual([JSON.stringify(wire), undefined])
    expect(read!(wire)).toEqual(record)
    const without = { projectId: "p", older: [] }
    expect(write(without)).toBe('{"project_id":"p","older":[]}')
    expect(read!({ project_id: "p", older: [], another: 1 })).toEqual(without)
    expect(read!({ project_id: "p", last_good: null, older: [] })).toEqual({ ...without, lastGood: null })
  })

  it.each([
    ["annotated", Outer.annotate({ identifier: "Outer" })],
    ["annotated for the wire", Outer.pipe(Schema.annotateEncoded({ identifier: "Outer" }))],
    ["made ready for JSON", Schema.toCodecJson(Outer)]
  ])("are known of a schema that was %s", (_, schema) => {
    expect(plainJson(schema)?.write(record)).toBe(JSON.stringify(wire))
  })

  it("leave to the schema what changes more than names", () => {
    const Upper = Schema.Struct({ name: Schema.String }).pipe(Schema.encodeKeys({ name: "NAME" }))
    expect(plainJson(Upper)).toBeNull()
    const At = Schema.Struct({ madeAt: Schema.NumberFromString }).pipe(withWireNames({ madeAt: "made_at" }))
    expect(Schema.encodeSync(At)({ madeAt: 1 })).toEqual({ made_at: "1" })
    expect(plainJson(At)).toBeNull()
  })

  it("are not mixed up between two schemas of the same fields", () => {
    const fields = Schema.Struct({ name: Schema.String })
    const one = fields.pipe(withWireNames({ name: "one" }))
    const two = fields.pipe(withWireNames({ name: "two" }))
    const value = Object.freeze({ name: "n" })
    expect([one, two, fields].map((schema) => plainJson(schema)!.write(value))).toEqual([
      '{"one":"n"}',
      '{"two":"n"}',
      '{"name":"n"}'
    ])
  })
})
