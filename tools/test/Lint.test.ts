import { beforeAll, describe, expect, it } from "vitest"
import { type Ran, withFixture } from "./FixtureWorkspace.ts"

const long = (count: number) => "  console.log(1)\n".repeat(count)

const wrong: ReadonlyArray<readonly [rule: string, source: string]> = [
  ["no-floating-promises", "const later = async () => 1\nlater()\n"],
  ["no-misused-promises", "const later = async () => 1\nexport const a = later() ? 1 : 2\n"],
  ["await-thenable", "export const a = async () => await 1\n"],
  ["no-explicit-any", "export const a = (b: any): unknown => b\n"],
  ["no-unused-vars", "const unused = 1\nexport {}\n"],
  ["consistent-type-imports", `import { Effect } from "effect"\nexport type A = Effect.Effect<void>\n`],
  ["max-lines", `export const a = 1\n${"// a line\n".repeat(400)}`],
  ["max-lines-per-function", `export const a = () => {\n${long(70)}}\n`]
]

const files = (folder: string) =>
  Object.fromEntries(wrong.map(([rule, source]) => [`packages/sql/${folder}/${rule}.ts`, source]))

describe("lint", () => {
  // One run for both: most of its time goes into reading what they import.
  let refused: Ran
  beforeAll(() => {
    refused = withFixture({ ...files("src"), ...files("test") }, (fixture) => fixture.run("oxlint", "--format", "unix"))
  })

  it.each(wrong)("refuses what breaks %s", (rule) => {
    const said = refused.output.split("\n").filter((line) => line.includes(`/src/${rule}.ts:`))
    expect(said.join("\n")).toContain(`(${rule})`)
    expect(refused.status).toBe(1)
  })

  it("lets a test's describe be as long as it must, and nothing else", () => {
    const lines = refused.output.split("\n").filter((line) => line.includes("packages/sql/test/"))
    const output = lines.join("\n")
    expect(output).not.toContain("(max-lines-per-function)")
    expect(output).toContain("(max-lines)")
    expect(output).toContain("(no-floating-promises)")
  })
})

describe("types", () => {
  const folders = ["packages/core/src", "packages/core/test", "tools", "examples/01-start", "bench", "docs"]
  const wrongIn = (...within: ReadonlyArray<string>) =>
    Object.fromEntries(within.map((folder) => [`${folder}/A.ts`, `export const a: number = "text"\n`]))
  let checked: Ran
  beforeAll(() => {
    checked = withFixture(wrongIn(...folders), (fixture) =>
      fixture.run("tsc", "-p", "tsconfig.json", "--incremental", "false")
    )
  })

  it.each(folders)("are checked in %s", (folder) => {
    expect(checked.output).toContain(`${folder}/A.ts(1,14): error TS2322`)
    expect(checked.status).not.toBe(0)
  })
})

describe("format", () => {
  it("is the house's: no semicolons, double quotes, no trailing commas, 120 wide", () => {
    withFixture({ "a.ts": "export const a = ['b', {\n c: 1,\n}];\n" }, (fixture) => {
      expect(fixture.run("oxfmt", "--check", "a.ts").status).toBe(1)
      fixture.run("oxfmt", "a.ts")
      expect(fixture.run("oxfmt", "--check", "a.ts").status).toBe(0)
      fixture.write("b.ts", `export const a = [\n  "b",\n  {\n    c: 1\n  }\n]\n`)
      expect(fixture.run("oxfmt", "--check", "b.ts").status).toBe(0)
    })
  })
})
