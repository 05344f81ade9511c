import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { type Ran, root, withFixture } from "./FixtureWorkspace.ts"

interface Package {
  readonly exports: Readonly<Record<string, unknown>>
  readonly files: Readonly<Record<string, string>>
}

const manifest = (name: string, exports: Package["exports"]) =>
  JSON.stringify({ name: `@pawl/${name}`, version: "0.1.0", license: "MIT", type: "module", files: ["dist"], exports })

/** One run for all of these: most of its time goes into reading what checks them. */
const check = (packages: Readonly<Record<string, Package>>) =>
  withFixture(
    Object.fromEntries(
      Object.entries(packages).flatMap(([name, { exports, files }]) => [
        [`packages/${name}/package.json`, manifest(name, exports)],
        ...Object.entries(files).map(([path, text]) => [`packages/${name}/dist/${path}`, text])
      ])
    ),
    (fixture) => fixture.run("node", join(root, "tools/checks/published.ts"), fixture.folder)
  )

const wildcard = { "./*": { types: "./dist/*.d.ts", default: "./dist/*.js" }, "./package.json": "./package.json" }
const module = { "a/B.js": "export const b = 1\n", "a/B.d.ts": "export declare const b: number\n" }

describe("packages as published", () => {
  let refused: Ran
  beforeAll(() => {
    refused = check({
      missing: { exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } }, files: module },
      untyped: { exports: wildcard, files: { ...module, "a/C.js": "export const c = 1\n" } },
      strays: { exports: wildcard, files: { ...module, ".tsbuildinfo": "{}" } },
      whole: { exports: wildcard, files: module }
    })
  })

  /** What is said of one of them: its line and those below it. */
  const saidOf = (name: string): string =>
    refused.output.split(/^(?=(?:ok  |FAIL) )/m).find((part) => part.includes(` @pawl/${name}\n`)) ?? ""

  it("pass when every module resolves with its types", () => {
    expect(check({ fixture: { exports: wildcard, files: module } })).toEqual({
      status: 0,
      output: "ok   @pawl/fixture\n"
    })
    expect(saidOf("whole")).toBe("ok   @pawl/whole\n")
  })

  it("fail on an export whose file is missing", () => {
    expect(saidOf("missing")).toContain("./dist/index.js but the file does not exist")
    expect(saidOf("missing")).toContain(".: NoResolution (node16-esm)")
    expect([refused.status, saidOf("missing")]).toEqual([1, expect.stringMatching(/^FAIL /)])
  })

  it("fail on a module without types", () => {
    expect(saidOf("untyped")).toContain("./a/C: UntypedResolution (node16-esm)")
    expect([refused.status, saidOf("untyped")]).toEqual([1, expect.stringMatching(/^FAIL /)])
  })

  it("fail when tests or build state would be published", () => {
    expect(saidOf("strays")).toContain("dist/.tsbuildinfo must not be published")
    expect([refused.status, saidOf("strays")]).toEqual([1, expect.stringMatching(/^FAIL /)])
  })
})
