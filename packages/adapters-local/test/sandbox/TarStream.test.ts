import fc from "fast-check"
import { expect, it } from "vitest"
import { isTreePath } from "../../src/sandbox/TarStream.ts"

it("takes every path that stays in its tree, and no other", () => {
  const segment = fc.constantFrom("a", "..", ".", "", "b c", "ü", "...", "-x")
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 6 }), (segments) => {
      const inside = segments.every((name) => !["..", ".", ""].includes(name))
      expect(isTreePath(segments.join("/"))).toBe(inside)
    })
  )
})
