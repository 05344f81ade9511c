/** What comes of an order, without the process that takes one: `ArboristLocks.test.ts` has that. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { utf8 } from "@pawl/core/primitives/Digest"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { integrityFor } from "./Documents.ts"
import { lock, manifest, needs, nowhere, packagesOf, problemsOf, text, versions, within } from "./LockKit.ts"

/** A project with a lock that npm made. */
const template = join(import.meta.dirname, "../../../../server/templates/react")

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

  it("is made anew where an override of it is new, gone or other: what stands in the lock before does not stay", () =>
    within(({ url }) =>
      Effect.gen(function* () {
        const asked = { dependencies: { a: "^1.0.0" } }
        const over = (version: string) => manifest({ ...asked, overrides: { a: { "@s/deep": version } } })
        // npm chooses the place.
        const deep = (made: Uint8Array) =>
          Object.entries(versions(made)).flatMap(([path, version]) => (path.endsWith("@s/deep") ? [version] : []))
        const before = yield* lock(url, { manifest: manifest(asked) })
        const second = yield* lock(url, { manifest: over("2.0.0"), locks: [before] })
        const first = yield* lock(url, { manifest: over("1.0.0"), locks: [second] })
        const none = yield* lock(url, { manifest: manifest(asked), locks: [second] })
        expect([before, second, first, none].map(deep)).toEqual([["1.0.0"], ["2.0.0"], ["1.0.0"], ["1.0.0"]])
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

  it("are refused where they have another archive for one version each", () =>
    within(({ url }) =>
      Effect.gen(function* () {
        const [left, right] = yield* branches(url)
        const other = utf8(text(right).replaceAll(integrityFor("optional", "1.0.0"), integrityFor("evil", "1.0.0")))
        const problems = yield* problemsOf(nowhere, { manifest: both, locks: [left, other], offline: true })
        expect(problems).toEqual(["lock_conflict: The two locks have optional@1.0.0 with another integrity each."])
        // By another algorithm it may be the same.
        const weak = utf8(text(right).replaceAll(integrityFor("optional", "1.0.0"), `sha1-${"A".repeat(27)}=`))
        expect(versions(yield* lock(nowhere, { manifest: both, locks: [left, weak], offline: true }))).toMatchObject({
          optional: "1.0.0"
        })
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

describe("A package.json of anyone", () => {
  const refused: ReadonlyArray<readonly [what: string, manifest: Uint8Array, problem: RegExp]> = [
    ["a package that there is not", needs({ nothing: "1" }), /^package_missing.*nothing/],
    ["a version that there is not", needs({ a: "7" }), /^package_missing.*a@7/],
    ["one that needs a package of git", needs({ gits: "1" }), /^package_source.*far/],
    ["one that runs nowhere here", needs({ lonely: "1" }), /^package_machine.*lonely/]
  ]
  it.each(refused)("is refused in words: %s", (_, given, problem) =>
    within(({ url }) =>
      Effect.map(problemsOf(url, { manifest: given }), (problems) => {
        expect(problems).toEqual([expect.stringMatching(problem)])
      })
    )
  )
})

describe("A lock file of anyone", () => {
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
