import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { makeCommandsExecutable, sweepOrphans } from "../build/Outputs.ts"
import { strays, subpaths } from "../checks/Tarballs.ts"
import { manifest, withFixture } from "./FixtureWorkspace.ts"

describe("the build's outputs", () => {
  it("lose every file whose source is gone, and nothing else", () => {
    const dist = "packages/core/dist"
    const sources = {
      "packages/core/package.json": manifest("core"),
      "packages/core/src/a/Kept.ts": "export {}\n",
      [`${dist}/.tsbuildinfo`]: "{}",
      ...Object.fromEntries(
        ["Kept", "Gone"].flatMap((name) =>
          ["js", "js.map", "d.ts", "d.ts.map"].map((extension) => [`${dist}/a/${name}.${extension}`, ""])
        )
      )
    }
    withFixture(sources, ({ folder }) => {
      expect([...sweepOrphans(folder)].sort()).toEqual(
        ["d.ts", "d.ts.map", "js", "js.map"].map((extension) => `${dist}/a/Gone.${extension}`)
      )
      expect(existsSync(join(folder, dist, "a/Kept.d.ts.map"))).toBe(true)
      expect(existsSync(join(folder, dist, ".tsbuildinfo"))).toBe(true)
      expect(sweepOrphans(folder)).toEqual([])
    })
  })

  it("that Vite makes are left alone: no source is named like them", () => {
    const sources = {
      "packages/console/package.json": manifest("console"),
      "packages/console/vite.config.ts": "export default {}\n",
      "packages/console/dist/console/index-abc.js": ""
    }
    withFixture(sources, ({ folder }) => {
      expect(sweepOrphans(folder)).toEqual([])
      expect(existsSync(join(folder, "packages/console/dist/console/index-abc.js"))).toBe(true)
    })
  })

  it("can be run as commands where a package declares them so", () => {
    const sources = {
      "packages/server/package.json": `{"bin":{"pawl":"./dist/node/main.js","absent":"./dist/absent.js"}}`,
      "packages/server/dist/node/main.js": "#!/usr/bin/env node\n"
    }
    withFixture(sources, ({ folder }) => {
      makeCommandsExecutable(folder)
      expect(statSync(join(folder, "packages/server/dist/node/main.js")).mode & 0o777).toBe(0o755)
    })
  })
})

describe("a tarball", () => {
  const tarball = {
    path: "a.tgz",
    files: [
      "dist/a/B.js",
      "dist/a/B.d.ts",
      "dist/.tsbuildinfo",
      "src/a/B.ts",
      "test/B.test.ts",
      "src/a/B.test.ts",
      "templates/x/test/a.test.ts"
    ]
  }

  it("may not carry tests or build state", () => {
    expect(strays(tarball)).toEqual(["dist/.tsbuildinfo", "test/B.test.ts", "src/a/B.test.ts"])
  })

  it("offers one import path for each module", () => {
    expect(subpaths(tarball)).toEqual(["a/B"])
  })
})
