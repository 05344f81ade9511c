import { describe, expect, it } from "vitest"
import { scriptsOf, withScripts } from "@pawl/core/project/PackageScripts"

describe("The scripts of a package.json", () => {
  it("are its own, by name, whatever the name", () => {
    expect(scriptsOf('{ "name": "a", "scripts": { "test": "node --test", "build": "" } }')).toEqual({
      test: "node --test",
      build: ""
    })
    expect(Object.keys(scriptsOf('{ "scripts": { "__proto__": "x", "test": "y" } }'))).toEqual(["__proto__", "test"])
    expect(scriptsOf("{}")).toEqual({})
  })

  it.each([
    "nonsense",
    "null",
    "1",
    '"text"',
    '[{ "scripts": { "test": "x" } }]',
    '{ "scripts": null }',
    '{ "scripts": "x" }',
    '{ "scripts": ["x"] }',
    '{ "scripts": { "test": "x", "build": 1 } }',
    '{ "__proto__": { "scripts": { "test": "x" } } }'
  ])("are none in %s", (text) => {
    expect(scriptsOf(text)).toEqual({})
  })

  it("stand over those of a text that is an object, and over nothing else", () => {
    expect(withScripts('{ "name": "a", "scripts": { "test": "x", "build": "y" } }', { test: "z" })).toBe(
      '{"name":"a","scripts":{"test":"z","build":"y"}}'
    )
    for (const text of ["nonsense", "null", "[]", "1"]) expect(withScripts(text, { test: "z" })).toBeNull()
  })
})
