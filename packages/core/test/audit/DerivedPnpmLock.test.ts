/** The audit's own look at a lock of pnpm: what a composer that lies could have put in its place. */
import { pnpmStranger, pnpmUnfit } from "@pawl/core/audit/DerivedPnpmLock"
import type { JsonObject } from "@pawl/core/packages/PackageManifest"
import { readPnpmText } from "@pawl/core/packages/PnpmLockText"
import { utf8 } from "@pawl/core/primitives/Digest"
import { describe, expect, it } from "vitest"

const lock = `lockfileVersion: '9.0'

importers:

  .:
    dependencies:
      '@s/a':
        specifier: ^1.0.0
        version: 1.0.0(b@1.0.0)
      other:
        specifier: npm:b@1
        version: b@1.0.0

packages:

  '@s/a@1.0.0':
    resolution: {integrity: sha512-a}

  b@1.0.0:
    resolution: {integrity: sha512-b}

snapshots:

  '@s/a@1.0.0(b@1.0.0)':
    dependencies:
      b: 1.0.0

  b@1.0.0: {}
`
const manifest = { dependencies: { "@s/a": "^1.0.0", other: "npm:b@1" }, peerDependencies: { p: "1" } }
const read = (text: string): JsonObject => readPnpmText(utf8(text)) ?? {}
const unfit = (text: string, own: JsonObject = manifest) => pnpmUnfit(read(text), own)

describe("A lock of pnpm that was derived", () => {
  it("is accepted when it fits its package.json", () => {
    expect(unfit(lock)).toBeNull()
    const overridden = lock
      .replace("specifier: ^1.0.0", "specifier: 1.0.0")
      .replace("importers:", "overrides:\n  '@s/a': 1.0.0\n\nimporters:")
    expect(unfit(overridden)).toBeNull()
    const addressed = lock.replace("sha512-a", "sha512-a, tarball: https://registry.npmjs.org/@s/a/-/a-1.0.0.tgz")
    expect(unfit(addressed)).toBeNull()
  })

  it.each<readonly [what: string, text: string, problem: RegExp]>([
    [
      "the lock of another package.json",
      lock.replace("specifier: ^1.0.0", "specifier: ^2.0.0"),
      /dependencies are not those/
    ],
    [
      "a lock with a dependency more",
      lock.replace("      other:", "      more:\n        specifier: '1'\n        version: b@1.0.0\n      other:"),
      /dependencies are not those/
    ],
    ["a lock that lacks a dependency", lock.replace(/ {6}other:\n.*\n.*\n/, ""), /dependencies are not those/],
    ["a lock that lacks a package", lock.replace(/\n {2}b@1\.0\.0:\n.*\n/, ""), /has no other|without its integrity/],
    [
      "a lock that lacks what a package needs",
      lock.replace("      b: 1.0.0\n", "      b: 1.0.0\n      c: 1.0.0\n"),
      /has no c, which @s\/a@1\.0\.0/
    ],
    [
      "a package without integrity",
      lock.replace("{integrity: sha512-b}", "{integrity: ''}"),
      /b@1\.0\.0 has no integrity/
    ],
    [
      "a package from elsewhere",
      lock.replace("sha512-b", "sha512-b, tarball: https://example.test/b.tgz"),
      /b@1\.0\.0 comes from elsewhere/
    ],
    [
      "a package of another package's archive",
      lock.replace("sha512-b", "sha512-b, tarball: https://registry.npmjs.org/evil/-/evil-1.0.0.tgz"),
      /comes from elsewhere/
    ],
    ["a package of git", lock.replace("sha512-b", "sha512-b, type: git"), /comes from elsewhere/],
    [
      "a package that is a folder",
      lock.replaceAll("b@1.0.0:", "b@file:../b:"),
      /b@file:\.\.\/b is no package|has no other/
    ],
    ["the lock of a workspace", lock.replace("packages:", "  web: {}\n\npackages:"), /of a workspace/],
    ["patched packages", lock.replace("importers:", "patchedDependencies:\n  b: x\n\nimporters:"), /patched/],
    ["another version of locks", lock.replace("'9.0'", "'6.0'"), /no lock of a package\.json/],
    ["no lock", "a: {b", /no lock of a package\.json/]
  ])("is found out when it is %s", (_, text, problem) => {
    expect(unfit(text)).toMatch(problem)
  })

  it("brings no package that stands in none of the two, and no other bytes of one", () => {
    const without = read(lock.replace(/\n {2}b@1\.0\.0:\n.*\n/, ""))
    const other = read(lock.replace("sha512-b", "sha512-evil"))
    expect(pnpmStranger(read(lock), [without, read(lock)])).toBeNull()
    expect(pnpmStranger(read(lock), [without])).toBe("b@1.0.0 sha512-b")
    expect(pnpmStranger(read(lock), [without, other])).toBe("b@1.0.0 sha512-b")
  })
})
