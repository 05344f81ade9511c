import * as FastCheck from "fast-check"
import { describe, expect, it } from "vitest"
import { readOnce } from "@pawl/core/primitives/StrictJson"

const problem = (text: string) => {
  const read = readOnce(text, 100_000)
  return "problem" in read ? read.problem : null
}

describe("JSON in which a key is there twice", () => {
  it.each([
    '{"a":1,"a":1}',
    '{"a" :1,"a":2}',
    '{"a":":","a" :2}',
    '{"a"\n:1,"b":{"a"\t:":","a"\r:2}}',
    '[[{"a":1,"\\u0061":2}]]',
    '{"__proto__":1,"__proto__":2}',
    '{"a":{"b":1,"b":2},"c":":"}',
    '{"0":1,"0":2}',
    '{"":1,"":2}'
  ])("is not read: %s", (text) => {
    expect(problem(text)).toBe("a key is there twice")
  })

  it.each([
    '{"a":1,"b":{"a":2}}',
    '{"a":":","b":"\\":"}',
    '{ "a" : 1, "b" : [ { "a" : ":" } ] }',
    '{"__proto__":{"a":1},"a":1}',
    '[":",":",{"":null}]'
  ])("is another than: %s", (text) => {
    expect(problem(text)).toBeNull()
  })

  it("is found in any value, in whatever form it is written, and nowhere else", () => {
    const spaces = FastCheck.constantFrom("", " ", "\n", "\t", "\r")
    const key = FastCheck.constantFrom("a", ":", "", "__proto__", '"', "\\", '":', "é")
    const leaf = FastCheck.constantFrom("1", "null", '":"', '"\\":"', "[]", "{}")
    const members = FastCheck.array(FastCheck.tuple(key, spaces, leaf), { maxLength: 5 })
    const object = members.map((each) => ({
      text: `{${each.map(([name, space, value]) => `${JSON.stringify(name)}${space}:${value}`).join(",")}}`,
      isTwice: new Set(each.map(([name]) => name)).size < each.length
    }))
    FastCheck.assert(
      FastCheck.property(FastCheck.array(object, { minLength: 1, maxLength: 4 }), (all) => {
        const text = `[${all.map((each) => each.text).join(",")}]`
        expect(problem(text) !== null).toBe(all.some(({ isTwice }) => isTwice))
      }),
      { numRuns: 1000 }
    )
  })
})
