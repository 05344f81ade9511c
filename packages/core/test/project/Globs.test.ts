import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { checkFiles, defaultCheckFiles } from "@pawl/core/verification/CheckFiles"
import { parsePawlFile } from "@pawl/core/project/PawlFile"
import { fitsGlob, Glob } from "@pawl/core/project/Globs"

const fitting = (glob: string, ...paths: ReadonlyArray<string>) => paths.filter((path) => fitsGlob(glob, path))

describe("A glob", () => {
  it("fits names within a folder with * and ?, and any depth with **", () => {
    expect(fitting("test/**", "test/a.js", "test/b/c.js", "src/test/a.js", "testing/a.js")).toEqual([
      "test/a.js",
      "test/b/c.js"
    ])
    expect(fitting("**/*.test.*", "a.test.js", "src/b.test.ts", "src/b/c.test.tsx", "test.js", "a.test")).toEqual([
      "a.test.js",
      "src/b.test.ts",
      "src/b/c.test.tsx"
    ])
    expect(fitting("src/*.js", "src/a.js", "src/b/a.js", "a.js")).toEqual(["src/a.js"])
    expect(fitting("a?.js", "ab.js", "a.js", "a/.js", "abc.js")).toEqual(["ab.js"])
    expect(fitting("**/x/**/y", "x/y", "a/x/b/c/y", "x/x/y", "y", "x")).toEqual(["x/y", "a/x/b/c/y", "x/x/y"])
    expect(fitting("docs/check.mjs", "docs/check.mjs", "docs/check.mjs.txt", "docs")).toEqual(["docs/check.mjs"])
    expect(fitting("**/run.sh", "run.sh", "a/b/run.sh", "a/xrun.sh", "run.sh/a")).toEqual(["run.sh", "a/b/run.sh"])
    expect(fitting("[id].js", "[id].js", "i.js")).toEqual(["[id].js"])
  })

  it("is answered however it was made to take long", () => {
    const path = `${"a/".repeat(60)}${"a".repeat(200)}b`
    expect(fitsGlob("**/".repeat(15) + "*a".repeat(80), path)).toBe(false)
    expect(fitsGlob(`${"*a".repeat(90)}c`, "a".repeat(1000))).toBe(false)
    // What is beyond the bounds is only itself.
    expect(fitsGlob("**/*b", `${"a/".repeat(64)}b`)).toBe(false)
    expect(fitsGlob("a/**", `${"a/".repeat(64)}b`)).toBe(true)
    expect(fitsGlob(`${"*/".repeat(16)}a`, `${"a/".repeat(16)}a`)).toBe(false)
  })

  it("is refused where another tool would read it otherwise", () => {
    const decode = Schema.decodeUnknownResult(Glob)
    for (const glob of ["test/**", "**/*.spec.*", "a?.js", "docs"]) expect(Result.isSuccess(decode(glob))).toBe(true)
    const refused = [
      "",
      "!a",
      "/a",
      "a/",
      "{a,b}",
      "[ab]",
      "a\\b",
      "../a",
      "./a",
      "a//b",
      "a".repeat(201),
      `${"a/".repeat(16)}a`
    ]
    for (const glob of refused) expect(Result.isFailure(decode(glob))).toBe(true)
  })
})

describe("The files of a check", () => {
  const of = (check: Readonly<Record<string, unknown>>) =>
    parsePawlFile(JSON.stringify({ checks: [{ id: "test", command: "node --test", ...check }] }))

  it("are declared in pawl.json, within bounds", () => {
    expect(Result.getOrThrow(of({ files: ["spec/**"] })).checks[0]?.files).toEqual(["spec/**"])
    expect(Result.getOrThrow(of({})).checks[0]?.files).toBeUndefined()
    expect(Result.getFailure(of({ files: ["{a,b}"] }))).toMatchObject({
      value: expect.stringContaining("checks.0.files.0")
    })
    expect(Result.isFailure(of({ files: Array.from({ length: 17 }, (_, n) => `a${n}`) }))).toBe(true)
  })

  it("are tests by their names and what the command names, and no more than what is declared", () => {
    const command = "node ./checks/run.mjs --quiet"
    expect(checkFiles({ command }, {})).toEqual([...defaultCheckFiles, "node", "checks/run.mjs"])
    expect(checkFiles({ command, files: [] }, {})).toEqual([])
    expect(checkFiles({ command: "npm test" }, { test: "node a.mjs", pretest: "sh b.sh" })).toEqual(
      expect.arrayContaining(["a.mjs", "b.sh"])
    )
  })
})
