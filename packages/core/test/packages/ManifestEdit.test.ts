import { addPackage, type AddedPackage } from "@pawl/core/packages/ManifestEdit"
import { utf8 } from "@pawl/core/primitives/Digest"
import { Result } from "effect"
import { describe, expect, it } from "vitest"

const added = (text: string | null, more: Partial<AddedPackage> = {}) =>
  Result.match(addPackage(text === null ? null : utf8(text), { name: "zod", range: "^4.0.0", dev: false, ...more }), {
    onFailure: (words) => words,
    onSuccess: (bytes) => new TextDecoder().decode(bytes)
  })

describe("A package that is added to package.json", () => {
  it("stands sorted among the others, and all else stays as it is, with its indentation", () => {
    const before =
      '{\n\t"name": "app",\n\t"dependencies": {\n\t\t"zx": "1",\n\t\t"a": "1"\n\t},\n\t"type": "module"\n}\n'
    expect(added(before)).toBe(
      '{\n\t"name": "app",\n\t"dependencies": {\n\t\t"a": "1",\n\t\t"zod": "^4.0.0",\n\t\t"zx": "1"\n\t},\n\t"type": "module"\n}\n'
    )
  })

  it("begins a list, or the file", () => {
    expect(added('{"name":"app"}')).toBe('{\n  "name": "app",\n  "dependencies": {\n    "zod": "^4.0.0"\n  }\n}')
    expect(added(null)).toBe('{\n  "private": true,\n  "dependencies": {\n    "zod": "^4.0.0"\n  }\n}\n')
  })

  it("stands in one list alone, with the range that is asked for now", () => {
    expect(JSON.parse(added('{"devDependencies":{"zod":"^3.0.0"},"dependencies":{"a":"1"}}'))).toEqual({
      dependencies: { a: "1", zod: "^4.0.0" }
    })
    expect(JSON.parse(added('{"dependencies":{"zod":"^3.0.0"}}', { dev: true, range: "latest" }))).toEqual({
      devDependencies: { zod: "latest" }
    })
  })

  it.each(["1.2.3", "^1", ">=1 <3", "1.x || 2.x", "latest", "npm:@s/real@^2", "*"])(
    "may be asked for as %s",
    (range) => {
      expect(JSON.parse(added("{}", { range }))).toEqual({ dependencies: { zod: range } })
    }
  )

  it.each<readonly [more: Partial<AddedPackage>, words: RegExp]>([
    [{ name: "../up" }, /no name of a package/],
    [{ name: "__proto__" }, /no name of a package/],
    [{ name: "" }, /no name of a package/],
    [{ name: "@s/" }, /no name of a package/],
    [{ name: "zod@4" }, /no name of a package/],
    [{ range: "git+https://example.test/a.git" }, /from the registry alone/],
    [{ range: "someone/zod" }, /from the registry alone/],
    [{ range: "file:../zod" }, /from the registry alone/],
    [{ range: "https://example.test/zod.tgz" }, /from the registry alone/],
    [{ range: "workspace:*" }, /from the registry alone/],
    [{ range: "npm:../x@1" }, /no name of a package|no version/],
    [{ range: "npm:a@git+ssh://x" }, /no version|from the registry/],
    [{ range: "a/b/c" }, /no version/],
    [{ range: "" }, /no version/],
    [{ range: "1\n2" }, /no version/],
    [{ range: "^1".repeat(1000) }, /no version/]
  ])("is refused in words: %j", (more, words) => {
    expect(added("{}", more)).toMatch(words)
  })

  it.each(["{", "[]", "null", '"a"', "[".repeat(100_000)])(
    "is refused where package.json is no JSON object: %#",
    (text) => {
      expect(added(text)).toMatch(/^package\.json cannot be read/)
    }
  )
})
