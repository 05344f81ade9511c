import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compile, fill, globs, match, type PathPattern } from "../src/PathPattern.ts"

/** The same pattern as a regular expression, which is what Cloudflare makes of it. */
const asExpression = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split("*")
      .map((part) => part.replace(/[-/\\^$+?.()|[\]{}]/g, "\\$&").replace(/:([A-Za-z]\w*)/g, "(?<$1>[^/]+)"))
      .join("(?<splat>.*)")}$`
  )

const read = (text: string): PathPattern => {
  const pattern = compile(text)
  if ("problem" in pattern) throw new Error(pattern.problem)
  return pattern
}
const values = (text: string, path: string) => match(read(text), path.split("/"))

const pathPart = fc.constantFrom("a", "b", "ab", "-", ".", "/", "//", "a-b", "x")
const patternPart = fc.constantFrom("a", "b", "-", ".", "/", "/", ":one", ":two", ":three", "*", "(", "[x]", "+", "a-b")

describe("Patterns of paths", () => {
  it("match what the regular expression of the same pattern matches, with the same values", () => {
    let matched = 0
    fc.assert(
      fc.property(
        fc.array(patternPart, { minLength: 1, maxLength: 8 }),
        fc.array(fc.array(pathPart, { minLength: 1, maxLength: 9 }), { minLength: 20, maxLength: 20 }),
        (parts, paths) => {
          const text = `/${parts.join("")}`
          const pattern = compile(text)
          fc.pre(!("problem" in pattern))
          const expression = asExpression(text)
          for (const each of paths) {
            const path = `/${each.join("")}`
            const found = match(pattern as PathPattern, path.split("/"))
            const expected = expression.exec(path)
            expect(found, `${text} of ${path}`).toEqual(expected === null ? null : { ...expected.groups })
            if (found !== null) matched++
          }
        }
      ),
      { numRuns: 1500 }
    )
    expect(matched).toBeGreaterThan(100)
  })

  it.each([
    ["/*", "/", { splat: "" }],
    ["/blog/*", "/blog/", { splat: "" }],
    ["/blog/*", "/blog", null],
    ["/blog/*", "/blog/a/b", { splat: "a/b" }],
    ["/*.css", "/x/y.css", { splat: "x/y" }],
    ["/:a/:b", "/1/2", { a: "1", b: "2" }],
    ["/:a/:b", "/1/", null],
    ["/:year-:month.html", "/2-0-2.html", { year: "2-0", month: "2" }],
    ["/*/edit", "/a/b/edit", { splat: "a/b" }],
    ["/:lang/*/:page", "/de/a/b/c", { lang: "de", splat: "a/b", page: "c" }]
  ])("%s of %s gives %o", (pattern, path, expected) => expect(values(pattern, path)).toEqual(expected))

  it.each([
    ["/a/*/b/*", "more than one *"],
    ["/:a:b", "side by side"],
    ["/:a/:a", "twice"],
    ["/:splat/*", "twice"],
    ["/x-:a*", "same segment"],
    [`/${Array.from({ length: 17 }, (_, n) => `:p${n}`).join("/")}`, "more than 16"]
  ])("%s is none: %s", (pattern, words) =>
    expect(compile(pattern)).toEqual({ problem: expect.stringContaining(words) })
  )

  it("fills in what was matched, whole names at a time, once, and leaves other names as they are", () => {
    expect(fill("/:id_2/:id/:none/:toString", { id: "1:id_2", id_2: "2" })).toBe("/2/1:id_2/:none/:toString")
  })

  it("globs agree with the regular expression in which * is anything", () => {
    const part = fc.constantFrom("a", "b", "/", "*", "ab", "ba")
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.array(pathPart, { maxLength: 10 }), (glob, path) => {
        const text = glob.join("")
        const expression = new RegExp(`^${text.split("*").join(".*")}$`)
        expect(globs(text, path.join(""))).toBe(expression.test(path.join("")))
      }),
      { numRuns: 10_000 }
    )
  })

  it("read the most hostile patterns in steps that grow with the path and not with its powers", () => {
    // Each of these takes a backtracking engine longer than anyone waits.
    const long = `/${"-".repeat(16_000)}`
    expect(values(`/${Array.from({ length: 16 }, (_, n) => `:p${n}`).join("-")}.x`, long)).toBe(null)
    expect(
      Object.keys(values(`/${Array.from({ length: 16 }, (_, n) => `:p${n}`).join("-")}`, long) ?? {})
    ).toHaveLength(16)
    expect(globs(`/${"*-".repeat(48)}x`, long)).toBe(false)
  })
})
