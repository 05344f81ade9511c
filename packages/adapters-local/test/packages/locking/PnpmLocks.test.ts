import { readFileSync } from "node:fs"
import { join } from "node:path"
import { readSourceLock } from "@pawl/adapters-local/packages/LockReader"
import { Refusal } from "@pawl/adapters-local/packages/locking/LockInput"
import { make } from "@pawl/adapters-local/packages/locking/LockMaker"
import { pnpmSettings, readPnpmInput } from "@pawl/adapters-local/packages/locking/PnpmInput"
import { mergedLocks } from "@pawl/adapters-local/packages/locking/PnpmMerge"
import { plainOf, readYaml } from "@pawl/adapters-local/packages/PnpmYaml"
import { utf8 } from "@pawl/core/primitives/Digest"
import { readPnpmText } from "@pawl/core/packages/PnpmLockText"
import type { LockRequest } from "@pawl/core/packages/PackageStore"
import { slice } from "@pawl/testing/Depth"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { type Documents, integrityFor, type Registry, registryOf } from "./Documents.ts"

const documents: Documents = {
  a: { "1.0.0": {}, "1.1.0": { dependencies: { "@s/deep": "^1.0.0" } }, "2.0.0": {} },
  b: { "1.0.0": { peerDependencies: { a: "^1.0.0" } } },
  c: { "1.0.0": { dependencies: { d: "1" } } },
  d: { "1.0.0": { dependencies: { c: "1" } } },
  "@s/deep": { "1.0.0": { scripts: { postinstall: "evil" }, bin: { deep: "deep.js" }, engines: { node: ">=18" } } },
  bundles: { "1.0.0": { dependencies: { a: "1" }, bundledDependencies: ["a"], directories: { bin: "bin" } } },
  optional: { "1.0.0": { optionalDependencies: { mac: "1.0.0", linux: "1.0.0" } } },
  mac: { "1.0.0": { os: ["darwin"] } },
  linux: { "1.0.0": { os: ["linux"], cpu: ["x64", "arm64"], libc: ["glibc"] } },
  gits: { "1.0.0": { dependencies: { far: "git+https://example.test/far.git" } } },
  urls: { "1.0.0": { dependencies: { far: "https://example.test/far.tgz" } } },
  files: { "1.0.0": { dependencies: { far: "file:../../../etc" } } }
}

type Asked = Partial<LockRequest> & Pick<LockRequest, "manifest">
const manifest = (fields: Readonly<Record<string, unknown>>): Uint8Array =>
  utf8(JSON.stringify({ name: "app", version: "1.2.3", ...fields }))
const needs = (dependencies: Readonly<Record<string, unknown>>, more: object = {}): Uint8Array =>
  manifest({ dependencies, ...more })
const lock = (registry: string, given: Asked) =>
  Effect.flatMap(make(registry), (making) =>
    making({ format: "pnpm", workspace: null, locks: [], offline: false, ...given })
  )
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const within = <A>(
  work: (registry: Registry) => Effect.Effect<A, unknown>,
  ...given: Parameters<typeof registryOf> | []
) => Effect.runPromise(Effect.scoped(Effect.flatMap(registryOf(given[0] ?? documents, given[1]), work)))

/** Each snapshot of a lock. */
const keysOf = (made: Uint8Array): ReadonlyArray<string> =>
  Object.keys((readPnpmText(made)?.["snapshots"] ?? {}) as object)

const problemsOf = (registry: string, given: Asked) =>
  lock(registry, given).pipe(
    Effect.flip,
    Effect.map((error) =>
      error._tag === "PackagesRefused"
        ? error.problems.map(({ code, message }) => `${code}: ${message}`)
        : [error.message]
    )
  )

/** A lock as pnpm writes it, of packages that need nothing, with what is more of some. */
const lockOf = (
  direct: Readonly<Record<string, readonly [range: string, version: string]>>,
  more: ReadonlyArray<readonly [key: string, snapshot: string]> = []
) => {
  const keys = [
    ...Object.entries(direct).map(([name, [, version]]) => [`${name}@${version}`, " {}"] as const),
    ...more
  ].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const packages = keys.map(([key]) => {
    const at = key.indexOf("@", 1)
    return `  '${key}':\n    resolution: {integrity: ${integrityFor(key.slice(0, at), key.slice(at + 1))}}\n`
  })
  const importers = Object.entries(direct).map(
    ([name, [range, version]]) => `      ${name}:\n        specifier: ${range}\n        version: ${version}\n`
  )
  return utf8(`lockfileVersion: '9.0'

settings:
  autoInstallPeers: true
  excludeLinksFromLockfile: false

importers:

  .:
    dependencies:
${importers.join("")}
packages:

${packages.join("\n")}
snapshots:

${keys.map(([key, snapshot]) => `  '${key}':${snapshot}\n`).join("\n")}`)
}

const withAddresses = (bytes: Uint8Array): Uint8Array =>
  utf8(
    text(bytes).replaceAll(
      /'(\w+)@([\d.]+)':\n {4}resolution: \{(integrity: [^}]*)\}/g,
      "'$1@$2':\n    resolution: {$3, tarball: http://other.test/$1/-/$1-$2.tgz}"
    )
  )

const refusalOf = (work: () => unknown): ReadonlyArray<string> => {
  try {
    work()
    return []
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.problems.map(({ code, message }) => `${code}: ${message}`)
  }
}

const starter = join(import.meta.dirname, "../../../../../examples/05-starters/vite-pnpm")
/** What nobody listens at. */
const nowhere = "http://127.0.0.1:1/"

describe("A lock of pnpm that is made", () => {
  it("is one that pnpm writes, with the newest versions that fit, and no host of the registry that was asked", () =>
    within(({ url }) =>
      Effect.gen(function* () {
        const own = needs({ a: "^1.0.0", b: "1", optional: "1", other: "npm:a@2" })
        const made = yield* lock(url, { manifest: own })
        expect(keysOf(made)).toEqual([
          "@s/deep@1.0.0",
          "a@1.1.0",
          "a@2.0.0",
          "b@1.0.0(a@1.1.0)",
          "linux@1.0.0",
          "mac@1.0.0",
          "optional@1.0.0"
        ])
        expect(text(made)).toContain(`
  '@s/deep@1.0.0':
    resolution: {integrity: ${integrityFor("@s/deep", "1.0.0")}}
    engines: {node: '>=18'}
    hasBin: true

  a@1.1.0:
    resolution: {integrity: ${integrityFor("a", "1.1.0")}}

`)
        expect(text(made)).not.toMatch(/127\.0\.0\.1|tarball/)
        const read = readSourceLock(
          new Map([
            ["package.json", own],
            ["pnpm-lock.yaml", made]
          ])
        )
        expect(read._tag === "Locked" && read.lock.direct.map(({ name }) => name)).toEqual([
          "a",
          "b",
          "optional",
          "other"
        ])
      })
    ))

  it("keeps the versions of the lock before, and has what is new, without what that bundles", () =>
    within(({ url }) =>
      Effect.map(
        lock(url, {
          manifest: needs({ a: "^1.0.0", bundles: "1", d: "1" }),
          locks: [lockOf({ a: ["^1.0.0", "1.0.0"], gone: ["1", "1.0.0"] })]
        }),
        (made) => {
          expect(keysOf(made)).toEqual(["a@1.0.0", "bundles@1.0.0", "c@1.0.0", "d@1.0.0"])
          expect(text(made)).toMatch(/hasBin: true\n {4}bundledDependencies:\n {6}- a\n/)
        }
      )
    ))

  it("is the same bytes where nothing changed", async () => {
    const [own, before] = ["package.json", "pnpm-lock.yaml"].map((name) => readFileSync(join(starter, name)))
    const made = lock(nowhere, { manifest: own!, locks: [before!], offline: true })
    expect(text(await Effect.runPromise(made))).toBe(text(before!))
  })

  const kept: ReadonlyArray<readonly [what: string, given: Asked, has: RegExp]> = [
    [
      "overrides of package.json",
      { manifest: needs({ a: "1.1.0" }, { pnpm: { overrides: { a: "1.0.0" } } }) },
      /\noverrides:\n {2}a: 1\.0\.0\n[^]*specifier: 1\.0\.0[^]*a@1\.0\.0: \{\}/
    ],
    [
      "overrides of pnpm-workspace.yaml",
      { manifest: needs({ a: "1.1.0" }), workspace: utf8("overrides:\n  a: 1.0.0\n") },
      /\noverrides:\n {2}a: 1\.0\.0\n/
    ],
    [
      "that peers are not installed by themselves",
      {
        manifest: needs({ b: "1" }),
        locks: [utf8(text(lockOf({})).replace("autoInstallPeers: true", "autoInstallPeers: false"))]
      },
      /autoInstallPeers: false[^]*\n {2}b@1\.0\.0: \{\}/
    ],
    [
      "that addresses stand in it",
      { manifest: needs({ a: "^1.0.0", d: "1" }), locks: [withAddresses(lockOf({ a: ["^1.0.0", "1.0.0"] }))] },
      /tarball: https:\/\/registry\.npmjs\.org\/a\/-\/a-1\.0\.0\.tgz[^]*tarball: https:\/\/registry\.npmjs\.org\/d\/-\/d-1\.0\.0\.tgz/
    ]
  ]
  it.each(slice(kept, { quick: 1 }))("keeps to %s", (_, given, has) =>
    within(({ url }) =>
      Effect.map(lock(url, given), (made) => {
        expect(text(made)).toMatch(has)
        expect(text(made)).not.toContain("127.0.0.1")
      })
    )
  )
})

describe("Two locks of pnpm that are merged", () => {
  const withPeer = (version: string) =>
    text(lockOf({ optional: ["1", "1.0.0"], b: ["1", `1.0.0(a@${version})`] }, [[`a@${version}`, " {}"]]))
      .replace(/ {2}'b@1\.0\.0\(a@.*\)':\n {4}resolution.*\n/, `$&    peerDependencies:\n      a: ^1.0.0\n`)
      .replace(/('b@1\.0\.0)\(a@[^)]*\)('):\n( {4}resolution)/, "$1$2:\n$3")
      .replace(integrityFor("b", `1.0.0(a@${version})`), integrityFor("b", "1.0.0"))
      .replace(/('b@1\.0\.0\(a@.*\)'): \{\}/, `$1:\n    dependencies:\n      a: ${version}`)

  it("have the packages of both without asking anyone, their peers found anew, and the same bytes in either order", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const locks = [lockOf({ optional: ["1", "1.0.0"], a: ["^1.0.0", "1.0.0"] }), utf8(withPeer("1.0.1"))]
        const own = needs({ optional: "1", a: "^1.0.0", b: "1" })
        const merged = yield* lock(nowhere, { manifest: own, locks, offline: true })
        expect(keysOf(merged)).toEqual(["a@1.0.0", "b@1.0.0(a@1.0.0)", "optional@1.0.0"])
        const again = yield* lock(nowhere, { manifest: own, locks: locks.toReversed(), offline: true })
        expect(text(again)).toBe(text(merged))
      })
    ))

  it("are refused where neither has a version that fits, which is named", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const locks = [lockOf({ a: ["^1.0.0", "1.0.0"] }), lockOf({ d: ["1", "1.0.0"] })]
        const problems = yield* problemsOf(nowhere, { manifest: needs({ a: "^2.0.0" }), locks, offline: true })
        expect(problems).toEqual(["lock_conflict: Neither lock has a version that fits a@^2.0.0."])
      })
    ))

  it("are refused where they have the same version as other bytes", () => {
    const one = lockOf({ a: ["1", "1.0.0"] })
    const other = utf8(text(one).replace(integrityFor("a", "1.0.0"), integrityFor("a", "evil")))
    const merging = () => mergedLocks([one, other].map(readPnpmInput), { dependencies: { a: "1" } })
    expect(refusalOf(merging)).toEqual([expect.stringMatching(/^lock_conflict: .* a@1\.0\.0 with another integrity/)])
  })
})

describe("pnpm", () => {
  const refused: ReadonlyArray<readonly [what: string, manifest: Uint8Array, problem: RegExp]> = [
    ["one that needs a package of git", needs({ gits: "1" }), /^package_source: gits@1\.0\.0 needs/],
    ["one that needs an address", needs({ urls: "1" }), /^package_source: urls@1\.0\.0 needs/],
    ["one that needs a file", needs({ files: "1" }), /^package_source: files@1\.0\.0 needs/],
    ["a package that there is not", needs({ nothing: "1" }), /^package_missing: .*: nothing\.$/],
    ["a version that there is not", needs({ a: "7" }), /^package_missing: .*: a@7\.$/],
    ["a package for real login", needs({ passport: "1" }), /^auth_package.*passport/]
  ]
  it.each(slice(refused, { quick: 1 }))("makes no lock, and words say why: %s", (_, given, problem) =>
    within(({ asked, url }) =>
      Effect.map(problemsOf(url, { manifest: given }), (problems) => {
        expect(problems).toEqual([expect.stringMatching(problem)])
        expect(asked).not.toContain("far")
        expect(asked).not.toContain("passport")
      })
    )
  )

  const waits: ReadonlyArray<readonly [what: string, fails: ReadonlyArray<string>, status: number]> = [
    ["fails for what could be done without", ["linux"], 502],
    ["is away", ["optional"], 503],
    ["is asked too often", ["optional"], 429]
  ]
  it.each(slice(waits, { quick: 1 }))("makes locks wait where the registry %s", (_, fails, status) =>
    within(
      ({ url }) =>
        Effect.map(
          Effect.flip(lock(url, { manifest: manifest({ optionalDependencies: { optional: "1" } }) })),
          (error) => {
            expect(error).toMatchObject({ _tag: "PackagesUnavailable" })
          }
        ),
      documents,
      (name, response) => {
        if (!fails.includes(name)) return false
        response.statusCode = status
        response.end()
        return true
      }
    )
  )
})

/** What a lock of anyone is refused for, before anything runs. */
describe("A lock of pnpm of anyone", () => {
  const good = text(lockOf({ a: ["1", "1.0.0"] }))
  const sum = integrityFor("a", "1.0.0")
  it.each<readonly [what: string, lock: string, problem: RegExp]>([
    ["another version", good.replace("9.0", "6.0"), /^lock_version/],
    ["a workspace", good.replace("packages:", "  web: {}\n\npackages:"), /^package_workspaces.*"web"/],
    ["patched packages", `${good}\npatchedDependencies:\n  a: x\n`, /^package_patched/],
    ["hooks of a .pnpmfile.cjs", `${good}\npnpmfileChecksum: abc\n`, /^lock_pnpmfile/],
    ["a package of git", good.replace(`integrity: ${sum}`, "type: git, repo: x, commit: y"), /^package_source: a /],
    ["a folder", good.replaceAll("a@1.0.0", "a@file:../a"), /^package_source: a /],
    ["an address of its own", good.replace(sum, `${sum}, tarball: https://example.test/a.tgz`), /^package_source: a /],
    ["no integrity", good.replace(`{integrity: ${sum}}`, "{}"), /^integrity_missing: a 1\.0\.0/],
    ["a name that leaves its folder", good.replaceAll("'a@1.0.0'", "'../a@1.0.0'"), /^package_name/],
    ["a snapshot of nothing", good.replace("snapshots:\n", "snapshots:\n\n  z@1.0.0: {}\n"), /^lock_unreadable.*"z@1/],
    ["an alias", "a: &a b\nc: *a\n", /^lock_unreadable/],
    ["more than a lock may have", " ".repeat(3 * 1024 * 1024), /^lock_over_limit/]
  ])("is refused in words: %s", (_, given, problem) => {
    expect(refusalOf(() => readPnpmInput(utf8(given)))).toEqual([expect.stringMatching(problem)])
  })

  it.each<readonly [what: string, more: object, workspace: string, problem: RegExp]>([
    ["an override that is a file", { pnpm: { overrides: { a: "file:../a" } } }, "", /^package_source/],
    ["a resolution of git", { resolutions: { a: "git+https://example.test/a.git" } }, "", /^package_source/],
    ["patches", { pnpm: { patchedDependencies: { a: "a.patch" } } }, "", /^package_patched/],
    ["an override of the workspace that is a link", {}, "overrides:\n  a: link:../a\n", /^package_source/],
    [
      "an extension that is an address",
      {},
      "packageExtensions:\n  a:\n    dependencies:\n      b: https://x.test/b.tgz\n",
      /^package_source/
    ],
    ["settings that are code", {}, "configDependencies:\n  a: 1.0.0\n", /^package_settings/],
    ["settings that are no YAML", {}, "a: [", /^lock_settings/]
  ])("keeps to no settings but plain ones: %s", (_, more, workspace, problem) => {
    expect(refusalOf(() => pnpmSettings(needs({}, more), utf8(workspace)))).toEqual([expect.stringMatching(problem)])
  })

  it("is read as a parser of all YAML reads it", () => {
    const bytes = readFileSync(join(starter, "pnpm-lock.yaml"))
    const words = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(words)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, words(each)]))
          : String(value)
    expect(readPnpmText(bytes)).toEqual(words(plainOf(readYaml(text(bytes)))))
  })
})
