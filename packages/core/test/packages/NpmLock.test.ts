import { readLock } from "@pawl/core/packages/LockFiles"
import { Limits } from "@pawl/core/primitives/Limits"
import { utf8 } from "@pawl/core/primitives/Digest"
import { describe, expect, it } from "vitest"

const integrity = `sha512-${"A".repeat(86)}==`
const resolved = (name: string, version: string) =>
  `https://registry.npmjs.org/${name}/-/${name.slice(name.indexOf("/") + 1)}-${version}.tgz`

type Json = Readonly<Record<string, unknown>>

const a = { version: "1.2.3", resolved: resolved("a", "1.2.3"), integrity }

const reading = {
  machine: { os: "linux", cpu: "x64", libc: "glibc" },
  satisfies: (version: string, range: string) => range === "*" || range.endsWith(version),
  pnpm: () => ({ _tag: "None" as const })
}

const readTexts = (manifest: string, lock: string) =>
  readLock(
    new Map([
      ["package.json", utf8(manifest)],
      ["package-lock.json", utf8(lock)]
    ]),
    reading
  )

const read = (packages: Json, root: Json = { dependencies: { a: "^1.2.3" } }, own: Json = root) =>
  readTexts(
    JSON.stringify({ name: "app", ...own }, null, 2),
    JSON.stringify({ lockfileVersion: 3, packages: { "": { name: "app", ...root }, ...packages } }, null, 2)
  )

const lockOf = (result: ReturnType<typeof read>) => {
  if (result._tag !== "Locked") throw new Error(JSON.stringify(result))
  return result.lock
}

/** Code, line and file of each problem. */
const refusals = (result: ReturnType<typeof read>) =>
  result._tag === "Refused" ? result.problems.map(({ code, file, line }) => [code, file, line]) : result._tag

const sentence = (result: ReturnType<typeof read>) =>
  result._tag === "Refused" ? result.problems.map(({ message }) => message).join("\n") : result._tag

/** One entry beside a good one, which stands on the lines from 10 on. */
const oneMore = (path: string, entry: Json) => read({ "node_modules/a": a, [path]: entry })

describe("package-lock.json", () => {
  it("is read: places, names, versions, digests, who needs them, and lines", () => {
    const lock = lockOf(
      read(
        {
          "node_modules/a": a,
          "node_modules/a/node_modules/@s/b": {
            version: "2.0.0-rc.1+x",
            integrity: `sha1-AAAA ${integrity}?x`,
            dev: true,
            hasInstallScript: true
          },
          "node_modules/alias": { name: "JSONStream", version: "1.0.0", integrity, optional: true }
        },
        { dependencies: { a: "^1.2.3" }, devDependencies: { alias: "npm:JSONStream@1.0.0" } }
      )
    )
    expect(lock.packages).toEqual([
      {
        path: "node_modules/a",
        name: "a",
        version: "1.2.3",
        integrity,
        dev: false,
        optional: false,
        installScript: false,
        line: 13
      },
      {
        path: "node_modules/a/node_modules/@s/b",
        name: "@s/b",
        version: "2.0.0-rc.1+x",
        integrity,
        dev: true,
        optional: false,
        installScript: true,
        line: 18
      },
      {
        path: "node_modules/alias",
        name: "JSONStream",
        version: "1.0.0",
        integrity,
        dev: false,
        optional: true,
        installScript: false,
        line: 24
      }
    ])
    expect(lock.direct).toEqual([
      { name: "a", range: "^1.2.3", dev: false },
      { name: "alias", range: "npm:JSONStream@1.0.0", dev: true }
    ])
    expect([lock.file, lock.format, lock.links]).toEqual(["package-lock.json", "npm", []])
  })

  it("leaves out what is not for this machine and may be missing, with what stands below it", () => {
    const other = { version: "1.0.0", integrity, optional: true }
    const lock = lockOf(
      read({
        "node_modules/a": a,
        "node_modules/mac": { ...other, os: ["darwin"] },
        "node_modules/mac/node_modules/b": other,
        "node_modules/arm": { ...other, cpu: ["arm64"] },
        "node_modules/musl": { ...other, libc: ["musl"] },
        "node_modules/not": { ...other, os: ["!linux"] },
        "node_modules/here": { ...other, os: ["linux"], cpu: ["x64"], libc: ["glibc"] },
        "node_modules/a/node_modules/inside": { version: "1.0.0", inBundle: true },
        "node_modules/spare": { version: "1.0.0", extraneous: true }
      })
    )
    expect(lock.packages.map(({ path }) => path)).toEqual(["node_modules/a", "node_modules/here"])
  })

  it("refuses a package that must be there and is not for this machine", () => {
    const result = oneMore("node_modules/mac", { version: "1.0.0", integrity, os: ["darwin"] })
    expect(refusals(result)).toEqual([["package_machine", "package-lock.json", 15]])
    expect(sentence(result)).toContain("mac is not for this kind of machine (linux x64 glibc): it needs os darwin.")
  })

  it.each<[string, string, Json, string]>([
    ["no integrity", "node_modules/b", { version: "1.0.0" }, "integrity_missing"],
    [
      "sha1 alone",
      "node_modules/b",
      { version: "1.0.0", integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" },
      "integrity_weak"
    ],
    ["md5 alone", "node_modules/b", { version: "1.0.0", integrity: "md5-AAAA" }, "integrity_weak"],
    [
      "a digest that is too short",
      "node_modules/b",
      { version: "1.0.0", integrity: "sha512-AAAA" },
      "integrity_malformed"
    ],
    ["an integrity that is none", "node_modules/b", { version: "1.0.0", integrity: "<script>" }, "integrity_malformed"],
    [
      "git",
      "node_modules/b",
      { version: "1.0.0", integrity, resolved: "git+ssh://git@github.com/x/b.git#abc" },
      "package_source"
    ],
    ["a file", "node_modules/b", { version: "file:b.tgz", integrity, resolved: "file:b.tgz" }, "package_source"],
    ["another file", "node_modules/b", { version: "1.0.0", integrity, resolved: "file:../b.tgz" }, "package_source"],
    ["a link", "node_modules/b", { resolved: "packages/b", link: true }, "package_source"],
    ["a workspace", "packages/b", { version: "1.0.0" }, "package_source"],
    ["a folder outside", "../b", { version: "1.0.0" }, "package_source"],
    [
      "an address",
      "node_modules/b",
      { version: "1.0.0", integrity, resolved: "https://example.com/b.tgz" },
      "package_source"
    ],
    [
      "another package's tarball",
      "node_modules/b",
      { version: "1.0.0", integrity, resolved: resolved("c", "1.0.0") },
      "package_source"
    ],
    [
      "another version's tarball",
      "node_modules/b",
      { version: "1.0.0", integrity, resolved: resolved("b", "1.0.1") },
      "package_source"
    ],
    [
      "an address with a password",
      "node_modules/b",
      { version: "1.0.0", integrity, resolved: "https://u:pw@h/b/-/b-1.0.0.tgz" },
      "package_source"
    ],
    ["an odd address", "node_modules/b", { version: "1.0.0", integrity, resolved: true }, "package_source"],
    ["a version that is none", "node_modules/b", { version: "../1", integrity }, "package_version"],
    ["no version", "node_modules/b", { integrity }, "package_version"],
    ["a prototype's name", "node_modules/__proto__", { version: "1.0.0", integrity }, "package_place"],
    ["a place above", "node_modules/../b", { version: "1.0.0", integrity }, "package_place"],
    ["a hidden place", "node_modules/.bin", { version: "1.0.0", integrity }, "package_place"],
    ["a place inside a package", "node_modules/a/lib/node_modules/b", { version: "1.0.0", integrity }, "package_place"],
    ["a control character", "node_modules/b\u0007", { version: "1.0.0", integrity }, "package_place"],
    ["node_modules itself", "node_modules/node_modules", { version: "1.0.0", integrity }, "package_place"],
    ["an alias of no name", "node_modules/b", { name: "../../x", version: "1.0.0", integrity }, "package_name"]
  ])("refuses %s, by line", (_, path, entry, code) => {
    const result = oneMore(path, entry)
    expect(refusals(result)).toEqual([[code, "package-lock.json", 15]])
    expect(sentence(result)).not.toContain("pw@")
  })

  it.each<[string, string]>([
    ["another mirror", "https://npm.example.com/repository/all/b/-/b-1.0.0.tgz"],
    ["a fragment of yarn", `${resolved("b", "1.0.0")}#${"a".repeat(40)}`]
  ])("takes the address of %s: what is fetched is checked by its digest", (_, address) => {
    expect(oneMore("node_modules/b", { version: "1.0.0", integrity, resolved: address })._tag).toBe("Locked")
  })

  it.each<[string, Json, Json]>([
    ["has another range", { dependencies: { a: "^1.2.3" } }, { dependencies: { a: "^2.0.0" } }],
    ["has one less", { dependencies: { a: "^1.2.3" } }, { dependencies: {} }],
    ["has one more", { dependencies: { a: "^1.2.3" } }, { dependencies: { a: "^1.2.3", b: "1" } }],
    ["has it for building", { dependencies: { a: "^1.2.3" } }, { devDependencies: { a: "^1.2.3" } }],
    [
      "asks for what no entry has",
      { dependencies: { a: "^1.2.3", c: "*" } },
      { dependencies: { a: "^1.2.3", c: "*" } }
    ],
    ["asks for another version", { dependencies: { a: "1.2.4" } }, { dependencies: { a: "1.2.4" } }],
    ["asks for another name", { dependencies: { a: "npm:b@1.2.3" } }, { dependencies: { a: "npm:b@1.2.3" } }]
  ])("is behind when package.json %s", (_, root, own) => {
    const result = read({ "node_modules/a": a }, root, own)
    expect(new Set(result._tag === "Refused" ? result.problems.map(({ code }) => code) : [])).toEqual(
      new Set(["lock_behind"])
    )
    expect(sentence(result)).toMatch(/\b[abc]\b/)
  })

  it("is not behind for what may be missing", () => {
    const root = {
      dependencies: { a: "^1.2.3", o: "1" },
      optionalDependencies: { o: "1" },
      peerDependencies: { p: "1" },
      peerDependenciesMeta: { p: { optional: true } }
    }
    const { dependencies: _, ...rest } = root
    expect(read({ "node_modules/a": a }, { ...rest, dependencies: { a: "^1.2.3" } }, root)._tag).toBe("Locked")
  })

  it.each([
    "git+https://x/y.git",
    "github:x/y",
    "x/y",
    "file:../b",
    "../b",
    "link:b",
    "workspace:*",
    "https://x/b.tgz",
    "catalog:"
  ])("refuses a dependency %s, by its line of package.json", (range) => {
    const own = { scripts: { b: "b" }, dependencies: { b: range } }
    expect(refusals(read({}, own))[0]).toEqual(["package_source", "package.json", 7])
  })

  it("refuses workspaces", () => {
    expect(refusals(read({}, { workspaces: ["packages/*"] }))).toEqual([["package_workspaces", "package.json", 3]])
  })

  it.each<[string, string, string]>([
    ["of version 1", JSON.stringify({ lockfileVersion: 1, dependencies: {} }), "lock_version"],
    ["of no version", "{}", "lock_version"],
    ["that is no JSON", "{,}", "lock_unreadable"],
    ["that is a list", "[]", "lock_unreadable"],
    ["without packages", JSON.stringify({ lockfileVersion: 3 }), "lock_unreadable"],
    ["without a root", JSON.stringify({ lockfileVersion: 3, packages: {} }), "lock_behind"],
    ["nested without end", "[".repeat(100_000), "lock_unreadable"],
    ["of more bytes than are read", " ".repeat(Limits.packageLockBytes + 1), "lock_over_limit"]
  ])("refuses a lock %s", (_, lock, code) => {
    expect(refusals(readTexts("{}", lock))).toEqual([[code, "package-lock.json", null]])
  })

  it("refuses a lock without package.json, and one beside a package.json that cannot be read", () => {
    const lock = utf8("{}")
    expect(refusals(readLock(new Map([["package-lock.json", lock]]), reading))).toEqual([
      ["lock_behind", "package-lock.json", null]
    ])
    expect(refusals(readTexts("{", "{}"))).toEqual([["manifest_unreadable", "package.json", null]])
  })

  it("refuses more packages than a layer may have, and says how many there are", () => {
    const count = Limits.packagesPerLock + 1
    const many = Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`node_modules/p${at}`, { version: "1.0.0", integrity }])
    )
    const result = read(many, {})
    expect(refusals(result)).toEqual([["packages_over_limit", "package-lock.json", null]])
    expect(sentence(result)).toContain(String(count))
    const { [`node_modules/p0`]: _, ...fewer } = many
    expect(read(fewer, {})._tag).toBe("Locked")
  })

  it("tells the first of very many problems, and how many more there are", () => {
    const many = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [`node_modules/p${at}`, { version: "1.0.0" }])
    )
    const result = read(many, {})
    expect(result._tag === "Refused" && result.problems.length).toBe(Limits.packageProblems)
    expect(sentence(result)).toContain(`There are ${200 - Limits.packageProblems + 1} more`)
  })

  it("has no prototype to be spoilt", () => {
    const text = `{"lockfileVersion":3,"packages":{"":{"__proto__":{"dependencies":{"x":"1"}}},"__proto__":{"version":"1.0.0"}}}`
    expect(refusals(readTexts("{}", text))).toEqual([["package_source", "package-lock.json", 1]])
  })
})
