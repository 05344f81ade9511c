import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { LockRequest } from "@pawl/core/packages/PackageStore"
import { Limits } from "@pawl/core/primitives/Limits"
import { utf8 } from "@pawl/core/primitives/Digest"
import { slice } from "@pawl/testing/Depth"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { make } from "@pawl/adapters-local/packages/locking/ArboristLocks"
import { readLock, readManifest, Refusal } from "@pawl/adapters-local/packages/locking/LockInput"
import { type Documents, integrityFor, type Registry, registryOf } from "./Documents.ts"

const documents: Documents = {
  a: { "1.0.0": {}, "1.1.0": { dependencies: { "@s/deep": "^1.0.0" } }, "2.0.0": {} },
  b: { "1.0.0": { peerDependencies: { a: "^1.0.0" } } },
  c: { "1.0.0": { peerDependencies: { d: "1" } } },
  d: { "1.0.0": { peerDependencies: { c: "1" } } },
  "@s/deep": { "1.0.0": { scripts: { postinstall: "evil" }, bin: { deep: "deep.js" } } },
  optional: { "1.0.0": { optionalDependencies: { mac: "1.0.0", linux: "1.0.0" } } },
  mac: { "1.0.0": { os: ["darwin"] } },
  linux: { "1.0.0": { os: ["linux"], cpu: ["x64", "arm64"], libc: ["glibc"] } },
  gits: { "1.0.0": { dependencies: { far: "git+https://example.test/far.git" } } },
  lonely: { "1.0.0": { os: ["win32"] } }
}

const manifest = (fields: Readonly<Record<string, unknown>>): Uint8Array =>
  utf8(JSON.stringify({ name: "app", version: "1.2.3", ...fields }))
const needs = (dependencies: Readonly<Record<string, unknown>>): Uint8Array => manifest({ dependencies })

const request = (given: Partial<LockRequest> & Pick<LockRequest, "manifest">): LockRequest => ({
  locks: [],
  offline: false,
  ...given
})

const lock = (registry: string, given: Partial<LockRequest> & Pick<LockRequest, "manifest">) =>
  Effect.flatMap(make(registry), (making) => making(request(given)))

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const packagesOf = (bytes: Uint8Array): Readonly<Record<string, { readonly version: string }>> =>
  JSON.parse(text(bytes)).packages
const versions = (bytes: Uint8Array) =>
  Object.fromEntries(
    Object.entries(packagesOf(bytes)).flatMap(([path, { version }]) => (path === "" ? [] : [[path.slice(13), version]]))
  )

const within = <A>(
  work: (registry: Registry) => Effect.Effect<A, unknown>,
  ...given: Parameters<typeof registryOf> | []
) => Effect.runPromise(Effect.scoped(Effect.flatMap(registryOf(given[0] ?? documents, given[1]), work)))

const problemsOf = (registry: string, given: Partial<LockRequest> & Pick<LockRequest, "manifest">) =>
  lock(registry, given).pipe(
    Effect.flip,
    Effect.map((error) =>
      error._tag === "PackagesRefused"
        ? error.problems.map(({ code, message }) => `${code}: ${message}`)
        : [error.message]
    )
  )

/** A project with a lock that npm made. */
const template = join(import.meta.dirname, "../../../../server/templates/react")

/** What nobody listens at. */
const nowhere = "http://127.0.0.1:1/"

describe("A lock that is made", () => {
  it("has the newest versions that fit, named as the public registry has them, whichever was asked", () =>
    within(({ url }) =>
      Effect.map(lock(url, { manifest: needs({ a: "^1.0.0" }) }), (made) => {
        expect(JSON.parse(text(made))).toEqual({
          name: "app",
          version: "1.2.3",
          lockfileVersion: 3,
          requires: true,
          packages: {
            "": { name: "app", version: "1.2.3", dependencies: { a: "^1.0.0" } },
            "node_modules/@s/deep": {
              version: "1.0.0",
              resolved: "https://registry.npmjs.org/@s/deep/-/deep-1.0.0.tgz",
              integrity: integrityFor("@s/deep", "1.0.0"),
              hasInstallScript: true,
              bin: { deep: "deep.js" }
            },
            "node_modules/a": {
              version: "1.1.0",
              resolved: "https://registry.npmjs.org/a/-/a-1.1.0.tgz",
              integrity: integrityFor("a", "1.1.0"),
              dependencies: { "@s/deep": "^1.0.0" }
            }
          }
        })
      })
    ))

  it("keeps the versions of the lock before where they fit", () =>
    within(({ url }) =>
      Effect.gen(function* () {
        const before = yield* lock(url, { manifest: needs({ a: "1.0.0" }) })
        const after = yield* lock(url, { manifest: needs({ a: "^1.0.0", b: "1" }), locks: [before] })
        expect(versions(after)).toEqual({ a: "1.0.0", b: "1.0.0" })
      })
    ))

  it("is written as npm writes it: where nothing changed, the same bytes, with addresses and without", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const [needed, before] = ["package.json", "package-lock.json"].map((name) => readFileSync(join(template, name)))
        const bare = utf8(before!.toString().replaceAll(/^ *"resolved": .*\n/gm, ""))
        for (const each of [before!, bare])
          expect(text(yield* lock(nowhere, { manifest: needed!, locks: [each], offline: true }))).toBe(text(each))
      })
    ))

  it("has what other machines need, and says for which it is", () =>
    within(({ url }) =>
      Effect.map(lock(url, { manifest: needs({ optional: "1" }) }), (made) => {
        expect(packagesOf(made)).toMatchObject({
          "node_modules/linux": { os: ["linux"], libc: ["glibc"], optional: true },
          "node_modules/mac": { os: ["darwin"], optional: true }
        })
      })
    ))

  it("has packages that need each other, once", () =>
    within(({ url }) =>
      Effect.map(lock(url, { manifest: needs({ c: "1" }) }), (made) => {
        expect(versions(made)).toEqual({ c: "1.0.0", d: "1.0.0" })
      })
    ))

  it("has a package under another name", () =>
    within(({ url }) =>
      Effect.map(lock(url, { manifest: needs({ other: "npm:a@2" }) }), (made) => {
        expect(packagesOf(made)["node_modules/other"]).toMatchObject({
          name: "a",
          version: "2.0.0",
          resolved: "https://registry.npmjs.org/a/-/a-2.0.0.tgz"
        })
      })
    ))
})

describe("Two locks that are merged", () => {
  const branches = (url: string) =>
    Effect.gen(function* () {
      const base = yield* lock(url, { manifest: needs({ optional: "1" }) })
      const left = yield* lock(url, { manifest: needs({ optional: "1", a: "^1.0.0" }), locks: [base] })
      const right = yield* lock(url, { manifest: needs({ optional: "1", d: "1" }), locks: [base] })
      return [left, right] as const
    })
  const both = needs({ optional: "1", a: "^1.0.0", d: "1" })

  it("have the packages of both, without asking anyone, and the same bytes each time and in either order", () =>
    within(({ url }) =>
      Effect.gen(function* () {
        const locks = yield* branches(url)
        const merged = yield* lock(nowhere, { manifest: both, locks, offline: true })
        const again = yield* lock(nowhere, { manifest: both, locks: [locks[1], locks[0]], offline: true })
        expect(versions(merged)).toEqual({
          a: "1.1.0",
          "@s/deep": "1.0.0",
          c: "1.0.0",
          d: "1.0.0",
          linux: "1.0.0",
          mac: "1.0.0",
          optional: "1.0.0"
        })
        expect(text(again)).toBe(text(merged))
        expect(text(yield* lock(url, { manifest: both, locks, offline: true }))).toBe(text(merged))
      })
    ))

  it("are refused where neither has a version that fits, which is named", () =>
    within(({ url }) =>
      Effect.gen(function* () {
        const locks = yield* branches(url)
        const problems = yield* problemsOf(nowhere, { manifest: needs({ a: "^2.0.0" }), locks, offline: true })
        expect(problems).toEqual([expect.stringMatching(/^lock_conflict: Neither lock has a version .* a@\^2\.0\.0/)])
      })
    ))

  it("are refused where packages do not fit each other", () =>
    within(({ url }) =>
      Effect.gen(function* () {
        const left = yield* lock(url, { manifest: needs({ a: "2.0.0" }) })
        const right = yield* lock(url, { manifest: needs({ b: "1" }) })
        const problems = yield* problemsOf(nowhere, {
          manifest: needs({ a: "2.0.0", b: "1" }),
          locks: [left, right],
          offline: true
        })
        expect(problems).toEqual([expect.stringMatching(/^lock_conflict: The packages do not fit each other: .*a/)])
      })
    ))
})

const refusalOf = (work: () => unknown): ReadonlyArray<string> => {
  try {
    work()
    return []
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.problems.map(({ code, line, message }) => `${code}: ${message} (${line})`)
  }
}

describe("A package.json of anyone", () => {
  it.each<readonly [what: string, manifest: Uint8Array, problem: RegExp]>([
    ["a git dependency", needs({ a: "git+https://example.test/a.git" }), /^package_source: a /],
    ["a dependency of GitHub", needs({ a: "someone/a" }), /^package_source/],
    ["a file", needs({ a: "file:../a" }), /^package_source/],
    ["a link", needs({ a: "link:../a" }), /^package_source/],
    ["a URL", needs({ a: "https://example.test/a.tgz" }), /^package_source/],
    ["a workspace's", needs({ a: "workspace:*" }), /^package_source/],
    ["an override that is a URL", manifest({ overrides: { a: { b: "file:x" } } }), /^package_source/],
    ["workspaces", manifest({ workspaces: ["a"] }), /^package_workspaces/],
    ["a name that leaves its folder", needs({ "../a": "1" }), /^package_name/],
    ["a name of a prototype", utf8('{"dependencies":{"__proto__":"1"}}'), /^package_name/],
    ["half of a JSON", utf8("{"), /^manifest_unreadable/],
    ["brackets without end", utf8("[".repeat(100_000)), /^manifest_unreadable.*nested/]
  ])("is refused in words before anyone is asked: %s", (_, given, problem) => {
    expect(refusalOf(() => readManifest(given))).toEqual([expect.stringMatching(problem)])
  })

  it("is refused with the line of what is wrong", () => {
    const text = utf8('{\n  "dependencies": {\n    "a": "1",\n    "b": "file:b"\n  }\n}\n')
    expect(refusalOf(() => readManifest(text))).toEqual([expect.stringMatching(/^package_source.*\(4\)$/)])
  })

  it("tells only the first of ten thousand mistakes", () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`p${index}`, "file:x"]))
    expect(refusalOf(() => readManifest(needs(many)))).toHaveLength(Limits.packageProblems)
  })

  const refused: ReadonlyArray<readonly [what: string, manifest: Uint8Array, problem: RegExp]> = [
    ["a giant", utf8(" ".repeat(2 * 1024 * 1024)), /^manifest_unreadable.*longer/],
    ["a package for real login", needs({ passport: "1" }), /^auth_package.*passport/],
    ["a package that there is not", needs({ nothing: "1" }), /^package_missing.*nothing/],
    ["a version that there is not", needs({ a: "7" }), /^package_missing.*a@7/],
    ["one that needs a package of git", needs({ gits: "1" }), /^package_source.*far/],
    ["one that runs nowhere here", needs({ lonely: "1" }), /^package_machine.*lonely/]
  ]
  it.each(slice(refused, { quick: 3 }))("is refused in words: %s", (_, given, problem) =>
    within(({ url }) =>
      Effect.map(problemsOf(url, { manifest: given }), (problems) => {
        expect(problems).toEqual([expect.stringMatching(problem)])
      })
    )
  )
})

describe("A lock file of anyone", () => {
  it.each<readonly [what: string, lock: unknown, problem: RegExp]>([
    ["version 1", { lockfileVersion: 1, dependencies: {} }, /^lock_version/],
    ["no packages", { lockfileVersion: 3 }, /^lock_version/],
    ["no object", [], /^lock_unreadable/]
  ])("is refused in words: %s", (_, given, problem) => {
    expect(refusalOf(() => readLock(utf8(JSON.stringify(given))))).toEqual([expect.stringMatching(problem)])
  })

  it("brings nothing in but packages of a registry", () =>
    within(({ url }) =>
      Effect.gen(function* () {
        const integrity = integrityFor("a", "1.0.0")
        const strange = `{"lockfileVersion":3,"packages":{
          "":{"dependencies":{"a":"1"}},
          "__proto__":{"version":"1.0.0"},
          "../up":{"version":"1.0.0","integrity":"${integrity}"},
          "node_modules/../../up":{"version":"1.0.0","integrity":"${integrity}"},
          "node_modules/a":{"version":"1.0.0","resolved":"git+ssh://git@example.test/a.git#1","integrity":"${integrity}"},
          "node_modules/l":{"link":true,"resolved":"../l"},
          "node_modules/b":{"version":"not one","integrity":"${integrity}"}
        }}`
        const made = yield* lock(url, { manifest: needs({ a: "1" }), locks: [utf8(strange)] })
        expect(versions(made)).toEqual({ a: "1.1.0", "@s/deep": "1.0.0" })
      })
    ))
})

describe("A registry", () => {
  const broken = (given: Parameters<typeof registryOf>[1]) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(registryOf(documents, given), ({ url }) =>
          Effect.flip(lock(url, { manifest: needs({ a: "1" }) }))
        )
      )
    )

  it("that is away makes locks wait", async () => {
    const error = await Effect.runPromise(Effect.flip(lock(nowhere, { manifest: needs({ a: "1" }) })))
    expect(error).toMatchObject({ _tag: "PackagesUnavailable" })
  })

  it.each(slice([500, 503, 429], { quick: 1 }))("that answers %i makes locks wait", async (status) => {
    const error = await broken((_, response) => {
      response.statusCode = status
      response.end()
      return true
    })
    expect(error).toMatchObject({ _tag: "PackagesUnavailable" })
  })

  it("that fails for what could be done without makes locks wait all the same", () =>
    within(
      ({ url }) =>
        Effect.map(Effect.flip(lock(url, { manifest: needs({ optional: "1" }) })), (error) => {
          expect(error).toMatchObject({ _tag: "PackagesUnavailable" })
        }),
      documents,
      (name, response) => {
        if (name !== "linux") return false
        response.statusCode = 502
        response.end()
        return true
      }
    ))

  it("that says no JSON, or tells of another package, makes locks wait", async () => {
    for (const body of ["<html>", '{"name":"b","versions":{}}'])
      expect(
        await broken((_, response) => {
          response.end(body)
          return true
        })
      ).toMatchObject({ _tag: "PackagesUnavailable" })
  })

  it("that sends to another host is refused, and nobody goes there", () =>
    within((other) =>
      Effect.gen(function* () {
        const first = yield* registryOf(documents, (name, response) => {
          response.writeHead(302, { location: `${other.url}${name}` })
          response.end()
          return true
        })
        expect(yield* problemsOf(first.url, { manifest: needs({ a: "1" }) })).toEqual([
          expect.stringMatching(/^registry_redirects/)
        ])
        expect(other.asked).toEqual([])
      }).pipe(Effect.scoped)
    ))

  it("that announces gigabytes is refused, and the package is named", async () => {
    const error = await broken((_, response) => {
      response.writeHead(200, { "content-length": String(5 * 1024 ** 3) })
      response.write("{")
      return true
    })
    expect(error.message).toMatch(/a is longer than/)
  })

  it("that lies about packages gives nothing but packages of a registry", () =>
    within(
      ({ url }) =>
        Effect.map(lock(url, { manifest: needs({ liar: "1" }) }), (made) => {
          expect(packagesOf(made)["node_modules/liar"]).toEqual({
            version: "1.0.0",
            resolved: "https://registry.npmjs.org/liar/-/liar-1.0.0.tgz",
            integrity: integrityFor("liar", "1.0.0")
          })
        }),
      {
        liar: {
          "1.0.0": {
            name: "../../liar",
            _hasShrinkwrap: true,
            dependencies: { "../up": "1" },
            os: [{}],
            bin: [1],
            license: {}
          },
          "../../9": {}
        }
      }
    ))

  it("that hangs is left when nobody waits for the lock any more", async () => {
    const [begun, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const hang: Parameters<typeof registryOf>[1] = (_, response) => {
      response.once("close", () => left.resolve())
      begun.resolve()
      return true
    }
    await within(
      ({ url }) =>
        Effect.gen(function* () {
          yield* Effect.raceFirst(
            lock(url, { manifest: needs({ a: "1" }) }),
            Effect.promise(() => begun.promise)
          )
          yield* Effect.promise(() => left.promise)
        }),
      documents,
      hang
    )
  })
})
