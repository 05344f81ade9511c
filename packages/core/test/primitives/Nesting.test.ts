import fc from "fast-check"
import { Limits } from "@pawl/core/primitives/Limits"
import { isTextTooDeep, isValueTooDeep } from "@pawl/core/primitives/Nesting"
import { describe, expect, it } from "vitest"

const nest = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`

/** By recursion: for values that are known to be shallow. */
const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

const wrapped = (levels: number, value: unknown): unknown =>
  levels === 0 ? value : levels % 2 === 0 ? [wrapped(levels - 1, value)] : { in: wrapped(levels - 1, value) }

describe("A nest", () => {
  it("of 64 levels is taken and one of 65 is not", () => {
    expect([Limits.jsonDepth, isTextTooDeep(nest(64)), isTextTooDeep(nest(65))]).toEqual([64, false, true])
    expect([isValueTooDeep(JSON.parse(nest(64))), isValueTooDeep(JSON.parse(nest(65)))]).toEqual([false, true])
    expect([isTextTooDeep(nest(2_000_000)), isValueTooDeep(JSON.parse(nest(200_000)))]).toEqual([true, true])
  })

  it("side by side is not deep, and brackets inside texts are none", () => {
    expect(isTextTooDeep(`[${"[],".repeat(1000)}[]]`)).toBe(false)
    for (const text of ["[".repeat(100), `"${"[".repeat(100)}`, `\\"${"{".repeat(100)}\\`, "\\".repeat(99)])
      expect(isTextTooDeep(JSON.stringify([text, text]))).toBe(false)
  })

  it("is looked for in any text, JSON or not", () => {
    for (const text of ["", '"', '"\\', "]]]]", "{[}]", '["'.repeat(100)]) expect(isTextTooDeep(text)).toBe(false)
    expect(isTextTooDeep(`"a" ${"{".repeat(65)}`)).toBe(true)
  })

  it("is found alike in a text and in its value", () => {
    fc.assert(
      fc.property(fc.integer({ min: 55, max: 70 }), fc.jsonValue({ maxDepth: 6 }), (levels, inner) => {
        const value = wrapped(levels, inner)
        const expected = depthOf(value) > Limits.jsonDepth
        expect(isTextTooDeep(JSON.stringify(value))).toBe(expected)
        expect(isTextTooDeep(JSON.stringify(value, null, 1))).toBe(expected)
        expect(isValueTooDeep(value)).toBe(expected)
      })
    )
  })
})
