import { HistoryReader } from "@pawl/adapters-local/packages/RegistryHistory"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const read = (text: string, pieceBytes = 1_000_000, wanted = ["1.0.0"]) => {
  const reader = new HistoryReader(new Set(wanted))
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.write(bytes.subarray(at, at + pieceBytes))
  return reader.end()
}

const time = "2024-05-06T07:08:09.000Z"

describe("What a registry says of a package", () => {
  it("is read as JSON is, in whatever pieces it comes", () => {
    const version = fc.constantFrom("1.0.0", "2.0.0", "__proto__", "constructor", 'a"b\\')
    const script = fc.oneof(fc.constantFrom("", "node install.js"), fc.jsonValue())
    const document = fc.record({
      readme: fc.jsonValue(),
      versions: fc.dictionary(
        version,
        fc.record({
          time: fc.jsonValue(),
          dist: fc.jsonValue(),
          scripts: fc.dictionary(fc.constantFrom("install", "postinstall", "test", "x"), script, { maxKeys: 2 }),
          hasInstallScript: fc.constantFrom(false, true, null, "true"),
          gypfile: fc.constantFrom(false, true, ["true"]),
          deprecated: fc.string({ minLength: 1, unit: "binary" })
        })
      ),
      other: fc.record({ time: fc.dictionary(version, fc.string()), versions: fc.jsonValue() }),
      time: fc.dictionary(version, fc.constant(time))
    })
    fc.assert(
      fc.property(document, version, fc.integer({ min: 1, max: 60 }), fc.boolean(), (said, wanted, bytes, spaced) => {
        const deprecated = Object.hasOwn(said.versions, wanted) ? said.versions[wanted]!.deprecated : null
        const publishedAtMs = Object.hasOwn(said.time, wanted) ? Date.parse(time) : null
        const own = Object.hasOwn(said.versions, wanted) ? said.versions[wanted] : undefined
        const asks =
          ["preinstall", "install", "postinstall"].some((name) => typeof own?.scripts[name] === "string") ||
          own?.hasInstallScript === true ||
          own?.gypfile === true
        const installScript = own === undefined ? null : asks
        const isKnown = own !== undefined || publishedAtMs !== null
        const known = isKnown ? [[wanted, { publishedAtMs, deprecated, installScript }]] : []
        expect([...read(JSON.stringify(said, null, spaced ? 2 : 0), bytes, [wanted])]).toEqual(known)
      }),
      { numRuns: 300 }
    )
  })

  it("may call a version deprecated without words, and tell of dates that are none", () => {
    expect([...read(`\ufeff{"time":{"1.0.0":"soon"},"versions":{"1.0.0":{"deprecated":true}}}`)]).toEqual([
      ["1.0.0", { publishedAtMs: null, deprecated: "deprecated", installScript: false }]
    ])
    expect([...read(`{"versions":{"1.0.0":{"deprecated":false}, "x":{"deprecated":true}}}`)]).toEqual([
      ["1.0.0", { publishedAtMs: null, deprecated: null, installScript: false }]
    ])
  })

  it("is unreadable when it is no object, has no end, or goes deep", () => {
    for (const text of ["", "[]", "<!doctype html>", '"text"', "{", '{"a":"', '{"a":[}', "{}}", "{}{}", "x{}"])
      expect(() => read(text)).toThrow()
    expect(() => read(`{"a":${"[".repeat(100_000)}`)).toThrow(/deeper/)
  })
})
