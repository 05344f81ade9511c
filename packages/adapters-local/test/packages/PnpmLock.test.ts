import { readSourceLock } from "@pawl/adapters-local/packages/LockReader"
import { utf8 } from "@pawl/core/primitives/Digest"
import { describe, expect, it } from "vitest"

const integrity = `sha512-${"A".repeat(86)}==`

const resolution = `resolution: {integrity: ${integrity}}`

const head = "lockfileVersion: '9.0'\n\n"

interface Parts {
  /** Above everything. */
  readonly top?: string
  readonly imports?: string
  /** What `a` needs, as lines. */
  readonly needs?: string
  readonly packages?: string
  readonly snapshots?: string
}

/** A lock of a dependency `a`, with more entries. Without others, the first of `packages` stands on line 16. */
const lockWith = ({
  imports = "",
  needs = "",
  packages = "",
  snapshots = "",
  top = ""
}: Parts = {}) => `${head}${top}importers:

  .:
    dependencies:
      a:
        specifier: ^1.0.0
        version: 1.0.0
${imports}
packages:

  a@1.0.0:
    ${resolution}

${packages}
snapshots:

  a@1.0.0:
    dependencies:
${needs}
${snapshots}`

const read = (lock: string, manifest: Readonly<Record<string, unknown>> = { dependencies: { a: "^1.0.0" } }) =>
  readSourceLock(
    new Map([
      ["package.json", utf8(JSON.stringify(manifest, null, 2))],
      ["pnpm-lock.yaml", utf8(lock)]
    ])
  )

const lockOf = (result: ReturnType<typeof read>) => {
  if (result._tag !== "Locked") throw new Error(JSON.stringify(result))
  return result.lock
}

const refusals = (result: ReturnType<typeof read>) =>
  result._tag === "Refused" ? result.problems.map(({ code, file, line }) => [code, file, line]) : result._tag

const rich = `${head}importers:

  .:
    dependencies:
      a:
        specifier: ^1.0.0
        version: 1.0.0(p@2.0.0)
      other:
        specifier: npm:@s/real@^3.0.0
        version: '@s/real@3.0.0'
    devDependencies:
      Tool:
        specifier: 4.0.0
        version: 4.0.0

packages:

  a@1.0.0:
    ${resolution}
    peerDependencies:
      p: '*'

  p@2.0.0:
    ${resolution}

  '@s/real@3.0.0':
    ${resolution}

  Tool@4.0.0:
    ${resolution}
    hasBin: true

  mac@1.0.0:
    ${resolution}
    os: [darwin]

  below-mac@1.0.0:
    ${resolution}

snapshots:

  a@1.0.0(p@2.0.0):
    dependencies:
      p: 2.0.0

  p@2.0.0: {}

  '@s/real@3.0.0':
    dependencies:
      p: 2.0.0

  Tool@4.0.0:
    dependencies:
      a: 1.0.0(p@2.0.0)
    optionalDependencies:
      mac: 1.0.0

  mac@1.0.0:
    dependencies:
      below-mac: 1.0.0
    optional: true

  below-mac@1.0.0:
    optional: true
`

const richManifest = {
  dependencies: { a: "^1.0.0", other: "npm:@s/real@^3.0.0" },
  devDependencies: { Tool: "4.0.0" }
}

describe("pnpm-lock.yaml", () => {
  it("is laid out as pnpm does it: what is real below .pnpm, what is needed by links, what is direct at the root", () => {
    const lock = lockOf(read(rich, richManifest))
    const paths = lock.packages.map(({ path }) => path)
    const tool = paths.find((path) => path.endsWith("Tool")) ?? ""
    const others = paths.filter((path) => path !== tool)
    expect(tool).toMatch(/^node_modules\/\.pnpm\/Tool@4\.0\.0_[0-9a-f]{32}\/node_modules\/Tool$/)
    expect(others.toSorted()).toEqual([
      "node_modules/.pnpm/@s+real@3.0.0/node_modules/@s/real",
      "node_modules/.pnpm/a@1.0.0_p@2.0.0/node_modules/a",
      "node_modules/.pnpm/p@2.0.0/node_modules/p"
    ])
    const links = new Map(lock.links.map(({ path, target }) => [path, target]))
    expect(links.get("node_modules/a")).toBe("node_modules/.pnpm/a@1.0.0_p@2.0.0/node_modules/a")
    expect(links.get("node_modules/other")).toBe("node_modules/.pnpm/@s+real@3.0.0/node_modules/@s/real")
    expect(links.get("node_modules/Tool")).toBe(tool)
    expect(links.get("node_modules/p")).toBeUndefined()
    expect(links.get("node_modules/.pnpm/a@1.0.0_p@2.0.0/node_modules/p")).toBe(
      "node_modules/.pnpm/p@2.0.0/node_modules/p"
    )
    expect(links.get("node_modules/.pnpm/node_modules/p")).toBe("node_modules/.pnpm/p@2.0.0/node_modules/p")
    expect(JSON.stringify(lock)).not.toContain("mac")
  })

  it("says who is needed for building alone, by which digest, and on which line", () => {
    const { direct, format, packages } = lockOf(read(rich, richManifest))
    expect(packages.map(({ dev, line, name, version }) => [name, version, dev, line])).toEqual(
      expect.arrayContaining([
        ["Tool", "4.0.0", true, 31],
        ["a", "1.0.0", false, 20],
        ["@s/real", "3.0.0", false, 28],
        ["p", "2.0.0", false, 25]
      ])
    )
    expect(new Set(packages.map((each) => each.integrity))).toEqual(new Set([integrity]))
    expect(format).toBe("pnpm")
    expect(direct.map(({ name }) => name).toSorted()).toEqual(["Tool", "a", "other"])
  })

  it.each<[string, string, string]>([
    ["of version 6", "lockfileVersion: '6.0'\n", "lock_version"],
    ["of no version", "{}", "lock_version"],
    ["that is no YAML", "a: [", "lock_unreadable"],
    ["that is a list", "- a\n", "lock_unreadable"],
    ["with aliases", `${head}a: &x 1\nb: *x\n`, "lock_unreadable"],
    ["with an alias for a map", `${head}a: &x {b: 1}\nb: *x\n`, "lock_unreadable"],
    ["with one key twice", `${head}packages: {}\npackages: {}\n`, "lock_unreadable"],
    ["with two documents", `${head}---\n${head}`, "lock_unreadable"],
    ["nested deeply", `${head}a: ${"[".repeat(30)}${"]".repeat(30)}\n`, "lock_unreadable"],
    ["nested without end", `${head}a: ${"[".repeat(50_000)}`, "lock_unreadable"],
    ["of more bytes than are read", `${head}# ${"x".repeat(2 * 1024 * 1024)}`, "lock_over_limit"]
  ])("is refused when it is one %s", (_, lock, code) => {
    expect(refusals(read(lock))).toEqual([[code, "pnpm-lock.yaml", null]])
  })

  const needing = (ref: string, packages = "", snapshots = "") =>
    read(lockWith({ needs: `      b: ${ref}\n`, packages, snapshots }))

  it.each<[string, string, string, string]>([
    ["without integrity", "1.0.0", "  b@1.0.0:\n    resolution: {}\n", "integrity_missing"],
    ["by sha1", "1.0.0", "  b@1.0.0:\n    resolution: {integrity: sha1-AAAA}\n", "integrity_weak"],
    [
      "of an address",
      "1.0.0",
      `  b@1.0.0:\n    resolution: {integrity: ${integrity}, tarball: https://x.example/b.tgz}\n`,
      "package_source"
    ],
    ["of git", "1.0.0", "  b@1.0.0:\n    resolution: {type: git, repo: x, commit: y}\n", "package_source"],
    ["of a folder", "1.0.0", "  b@1.0.0:\n    resolution: {directory: ../b, type: directory}\n", "package_source"],
    ["for another machine", "1.0.0", `  b@1.0.0:\n    ${resolution}\n    os: [darwin]\n`, "package_machine"]
  ])("is refused with a package %s, by its line", (_, ref, packages, code) => {
    expect(refusals(needing(ref, packages, "  b@1.0.0: {}\n"))).toEqual([[code, "pnpm-lock.yaml", 16]])
  })

  it.each<[string, string]>([
    ["link:../b", "package_source"],
    ["file:../b", "package_source"],
    ["https://codeload.github.com/x/y/tar.gz/1", "package_source"],
    ["2.0.0", "lock_unreadable"]
  ])("is refused with a dependency %s that no package is of", (ref, code) => {
    expect(refusals(needing(ref))).toEqual([[code, "pnpm-lock.yaml", 21]])
  })

  it.each<[string, string, string, string]>([
    ["a prototype's name", "__proto__", "__proto__@1.0.0", "package_name"],
    ["a name that leads out", "'../../x'", "'../../x@1.0.0'", "package_name"],
    ["a hidden name", ".bin", ".bin@1.0.0", "package_name"]
  ])("is refused with %s", (_, alias, key, code) => {
    const packages = `  ${key}:\n    ${resolution}\n`
    const lock = lockWith({ needs: `      ${alias}: 1.0.0\n`, packages, snapshots: `  ${key}: {}\n` })
    expect(refusals(read(lock))).toEqual([[code, "pnpm-lock.yaml", 23]])
  })

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ["has another range", { dependencies: { a: "^2.0.0" } }],
    ["has one more", { dependencies: { a: "^1.0.0", b: "1" } }],
    ["has one less", {}],
    ["has it for building", { devDependencies: { a: "^1.0.0" } }]
  ])("is behind when package.json %s", (_, manifest) => {
    const result = read(lockWith(), manifest)
    expect(new Set(result._tag === "Refused" ? result.problems.map(({ code }) => code) : [])).toEqual(
      new Set(["lock_behind"])
    )
  })

  it("is behind when another version stands in it than was asked for", () => {
    const lock = lockWith()
      .replaceAll("1.0.0\n", "3.0.0\n")
      .replaceAll("a@1.0.0", "a@3.0.0")
      .replace("^3.0.0", "^1.0.0")
    expect(refusals(read(lock))).toEqual([["lock_behind", "pnpm-lock.yaml", 7]])
  })

  it("may have overrides, and peers of the root that pnpm installs", () => {
    const overridden = lockWith({ top: "overrides:\n  a: 1.0.0\n\n" })
    expect(read(overridden, { dependencies: { a: "^9.0.0" } })._tag).toBe("Locked")
    expect(read(lockWith(), { peerDependencies: { a: "^1.0.0" } })._tag).toBe("Locked")
  })

  it("is refused with patches, and as that of a workspace", () => {
    expect(refusals(read(lockWith({ top: "patchedDependencies:\n  a@1.0.0: x\n\n" })))).toEqual([
      ["package_patched", "pnpm-lock.yaml", 3]
    ])
    expect(refusals(read(lockWith({ imports: "\n  packages/b: {}\n" })))).toEqual([
      ["package_workspaces", "pnpm-lock.yaml", 11]
    ])
  })
})
