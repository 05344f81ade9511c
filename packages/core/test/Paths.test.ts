import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compareCodePoints, isWellFormed, utf8Length } from "@pawl/core/primitives/CodePoints"
import { pathProblem, treeProblems } from "@pawl/core/project/Paths"

describe("Paths", () => {
  it("lets through the paths that people use", () => {
    for (const path of [
      "a",
      "src/index.ts",
      ".gitignore",
      ".gitattributes",
      ".github/workflows/x.yml",
      "a b",
      "grüße/é.txt",
      "日本/語",
      "👩‍👩‍👧.png",
      "...",
      "a.git",
      "git",
      "x~1",
      "-rf",
      "ab:c",
      "$(x)",
      "__proto__"
    ])
      expect([path, pathProblem(path)]).toEqual([path, undefined])
  })

  it("refuses a path that leaves the tree or has more than one reading", () => {
    for (const path of [
      "",
      "/",
      "/a",
      "a/",
      "a//b",
      ".",
      "..",
      "../a",
      "a/../b",
      "a/./b",
      "a\\b",
      "\\",
      "C:/x",
      "c:x",
      "a\0",
      "a\nb",
      "\u0085",
      "a\u007f",
      "a\u202eb",
      "\ud800",
      `x/${"é".repeat(128)}`,
      "a/".repeat(600) + "a"
    ])
      expect([path, pathProblem(path)]).toEqual([path, expect.any(String)])
  })

  it("refuses git's own folder in every spelling that a file system takes for it", () => {
    for (const name of [
      ".git",
      ".GIT",
      ".Git",
      ".git ",
      ".git.",
      ".git . .",
      "git~1",
      "GIT~2",
      "git~1.",
      ".git:x",
      ".git::$INDEX_ALLOCATION",
      ".g\u200cit",
      "\ufeff.git",
      ".gi\u2060t",
      "．ｇｉｔ",
      ".ɢit".replace("ɢ", "Ｇ")
    ])
      for (const path of [name, `${name}/config`, `a/${name}`, `a/${name}/hooks/x`])
        expect([path, pathProblem(path)]).toEqual([path, expect.any(String)])
  })

  it("finds files where directories are needed, and names that differ only in case or form", () => {
    expect(treeProblems(["a", "b/c", "b/d", "b.c"])).toEqual([])
    for (const paths of [
      ["a", "a/b"],
      ["a/b", "a"],
      ["a", "a"],
      ["a", "A"],
      ["src/a", "Src/b"],
      ["A", "a/b"],
      ["é", "e\u0301"],
      ["straße", "STRASSE"],
      ["a\u200d", "a"],
      ["x/y/Z", "x/Y/z"]
    ])
      expect([paths, treeProblems(paths).length]).toEqual([paths, 1])
  })

  const name = fc.constantFrom("a", "A", "b", ".git", "..", "", "é", "e\u0301", "c")
  const anyPath = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"))

  it("takes no path that resolves elsewhere than it says (any path)", () => {
    fc.assert(
      fc.property(fc.oneof(anyPath, fc.string({ unit: "binary" })), (path) => {
        if (pathProblem(path) !== undefined) return
        const url = new URL(path.split("/").map(encodeURIComponent).join("/"), "http://host/root/")
        expect(decodeURIComponent(url.pathname)).toBe(`/root/${path}`)
        expect(path.toLowerCase().split("/")).not.toContain(".git")
      }),
      { numRuns: 500 }
    )
  })

  it("finds a problem in a set exactly when two of its paths collide, in any order (any set)", () => {
    const lower = (path: string) => path.normalize("NFC").toLowerCase()
    const collide = (a: string, b: string): boolean => {
      const [x, y] = [a.split("/"), b.split("/")]
      for (let i = 0; i < Math.min(x.length, y.length); i++) {
        if (lower(x[i] ?? "") !== lower(y[i] ?? "")) return false
        if (x[i] !== y[i]) return true
      }
      return true
    }
    fc.assert(
      fc.property(
        fc.array(
          anyPath.filter((path) => pathProblem(path) === undefined),
          { maxLength: 6 }
        ),
        (paths) => {
          const expected = paths.some((a, i) => paths.some((b, j) => i < j && collide(a, b)))
          expect(treeProblems(paths).length > 0).toBe(expected)
          expect(treeProblems([...paths].reverse()).length > 0).toBe(expected)
        }
      ),
      { numRuns: 500 }
    )
  })

  it("orders by code point as UTF-8 does, and counts its bytes (any text)", () => {
    const encode = (text: string) => new TextEncoder().encode(text)
    const hex = (text: string) => Array.from(encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("")
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
        expect(compareCodePoints(a, b)).toBe(hex(a) < hex(b) ? -1 : hex(a) > hex(b) ? 1 : 0)
        expect(utf8Length(a)).toBe(encode(a).length)
        expect(isWellFormed(a)).toBe(true)
      })
    )
    expect(isWellFormed("a\udc00")).toBe(false)
  })
})
