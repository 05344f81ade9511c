import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { root, withFixture } from "./FixtureWorkspace.ts"

const manifest = (exports: Readonly<Record<string, unknown>>) =>
  JSON.stringify({ name: "@pawl/fixture", version: "0.1.0", license: "MIT", type: "module", files: ["dist"], exports })

const check = (exports: Readonly<Record<string, unknown>>, files: Readonly<Record<string, string>>) =>
  withFixture(
    {
      "packages/fixture/package.json": manifest(exports),
      ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`packages/fixture/dist/${path}`, text]))
    },
    (fixture) => fixture.run("node", join(root, "tools/checks/published.ts"), fixture.folder)
  )

const wildcard = { "./*": { types: "./dist/*.d.ts", default: "./dist/*.js" }, "./package.json": "./package.json" }
const module = { "a/B.js": "export const b = 1\n", "a/B.d.ts": "export declare const b: number\n" }

describe("packages as published", () => {
  it("pass when every module resolves with its types", () => {
    expect(check(wildcard, module)).toEqual({ status: 0, output: "ok   @pawl/fixture\n" })
  })

  it("fail on an export whose file is missing", () => {
    const { status, output } = check({ ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } }, module)
    expect(output).toContain("./dist/index.js but the file does not exist")
    expect(output).toContain(".: NoResolution (node16-esm)")
    expect(status).toBe(1)
  })

  it("fail on a module without types", () => {
    const { status, output } = check(wildcard, { ...module, "a/C.js": "export const c = 1\n" })
    expect(output).toContain("./a/C: UntypedResolution (node16-esm)")
    expect(status).toBe(1)
  })

  it("fail when tests or build state would be published", () => {
    const { status, output } = check(wildcard, { ...module, ".tsbuildinfo": "{}" })
    expect(output).toContain("dist/.tsbuildinfo must not be published")
    expect(status).toBe(1)
  })
})
