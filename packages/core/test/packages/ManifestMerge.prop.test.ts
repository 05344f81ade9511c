import { utf8 } from "@pawl/core/primitives/Digest"
import { manifestConflicts, mergeManifests } from "@pawl/core/packages/ManifestMerge"
import { rounds, seed } from "@pawl/testing/Depth"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const text = (bytes: Uint8Array | null) => (bytes === null ? null : new TextDecoder().decode(bytes))
const file = (value: unknown, indent = 2) => utf8(`${JSON.stringify(value, null, indent)}\n`)
const merged = (base: unknown, ours: unknown, theirs: unknown) =>
  mergeManifests({ base: file(base), ours: file(ours), theirs: file(theirs) })
const read = (bytes: Uint8Array | null): unknown => (bytes === null ? null : JSON.parse(text(bytes) ?? ""))

const name = fc.constantFrom("a", "b", "c", "@s/d", "constructor", "__proto__")
const ranges = fc.dictionary(name, fc.constantFrom("^1.0.0", "2.0.0", "*"), { maxKeys: 4, noNullPrototype: true })
const manifest = fc.record(
  { name: fc.constantFrom("app", "other"), dependencies: ranges, devDependencies: ranges, files: fc.array(name) },
  { requiredKeys: [], noNullPrototype: true }
)
const options = { numRuns: rounds({ quick: 200, deep: 5000 }), seed }

describe("Two package.json", () => {
  it("that each add another package have both, sorted, in the form of ours", () => {
    const base = { name: "app", dependencies: { b: "1" } }
    const ours = { name: "app", dependencies: { b: "1", c: "1" } }
    const theirs = { name: "app", dependencies: { a: "1", b: "1" }, devDependencies: { d: "1" } }
    const both = mergeManifests({ base: file(base), ours: file(ours, 4), theirs: file(theirs) })
    expect(text(both)).toBe(
      `${JSON.stringify({ name: "app", dependencies: { a: "1", b: "1", c: "1" }, devDependencies: { d: "1" } }, null, 4)}\n`
    )
  })

  it("that each override another package have both, also where pnpm reads it", () => {
    const base = { overrides: { b: "1" }, pnpm: { overrides: { b: "1" }, onlyBuiltDependencies: [] } }
    const side = (name: string) => ({
      overrides: { b: "1", [name]: { x: "1" } },
      resolutions: { [name]: "1" },
      pnpm: { overrides: { b: "1", [name]: "1" }, onlyBuiltDependencies: [] }
    })
    expect(read(merged(base, side("c"), side("a")))).toEqual({
      overrides: { a: { x: "1" }, b: "1", c: { x: "1" } },
      resolutions: { a: "1", c: "1" },
      pnpm: { overrides: { a: "1", b: "1", c: "1" }, onlyBuiltDependencies: [] }
    })
    const [one, other] = ["1", "2"].map((range) => ({ pnpm: { overrides: { a: range } } }))
    expect(manifestConflicts({ base: file({}), ours: file(one), theirs: file(other) })).toEqual([
      { field: "pnpm", name: "overrides", ours: '{"a":"1"}', theirs: '{"a":"2"}' }
    ])
  })

  it("that ask for one package in two ways are in conflict", () => {
    expect(merged({}, { dependencies: { a: "1" } }, { dependencies: { a: "2" } })).toBeNull()
  })

  it("of which one takes a package out and the other asks for another version of it are in conflict", () => {
    expect(merged({ dependencies: { a: "1" } }, {}, { dependencies: { a: "2" } })).toBeNull()
  })

  it("name what they are in conflict in, and nothing else does", () => {
    const base = { dependencies: { a: "1", b: "1", c: "1" }, type: "module" }
    const ours = { dependencies: { a: "2", c: "1", d: "1" }, type: "module", scripts: { x: "1" } }
    const theirs = { dependencies: { a: "3", b: "2", c: "1", e: "1" }, scripts: "none" }
    expect(manifestConflicts({ base: file(base), ours: file(ours), theirs: file(theirs) })).toEqual([
      { field: "dependencies", name: "a", ours: '"2"', theirs: '"3"' },
      { field: "dependencies", name: "b", ours: null, theirs: '"2"' },
      { field: "scripts", name: null, ours: '{"x":"1"}', theirs: '"none"' }
    ])
    fc.assert(
      fc.property(manifest, manifest, manifest, (one, two, three) => {
        const sides = { base: file(one), ours: file(two), theirs: file(three) }
        expect(manifestConflicts(sides).length === 0).toBe(mergeManifests(sides) !== null)
      }),
      options
    )
  })

  it("of which one is no JSON are in conflict", () => {
    expect(mergeManifests({ base: file({}), ours: utf8("{"), theirs: file({}) })).toBeNull()
  })

  it("of which one side is as the base was come to the other", () => {
    fc.assert(
      fc.property(manifest, manifest, (base, other) => {
        expect(read(merged(base, base, other))).toEqual(read(file(other)))
        expect(read(merged(base, other, base))).toEqual(read(file(other)))
      }),
      options
    )
  })

  it("come to the same, whichever of them is ours", () => {
    fc.assert(
      fc.property(manifest, manifest, manifest, (base, ours, theirs) => {
        expect(read(merged(base, ours, theirs))).toEqual(read(merged(base, theirs, ours)))
      }),
      options
    )
  })
})
