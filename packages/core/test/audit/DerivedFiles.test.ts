/** The audit's own look at derived files: what a composer that lies could have put in their place. */
import * as MemoryRepositories from "@pawl/adapters-memory/MemoryRepositories"
import { derivedFiles } from "@pawl/core/audit/DerivedFiles"
import type { DerivedFile } from "@pawl/core/model/DerivedFile"
import { sha256, utf8 } from "@pawl/core/primitives/Digest"
import { Repositories } from "@pawl/core/project/Repositories"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"

const project = "proj_00000001-0000-4000-8000-000000000000"
const fork = "cand-cand_000000000000000000000001"
const signature = { name: "Pawl", email: "pawl@localhost", atMs: 0 }
type Ranges = Readonly<Record<string, string>>
type Files = Readonly<Record<string, string>>

const entry = (name: string, version = "1.0.0", more: object = {}) => ({
  version,
  resolved: `https://registry.npmjs.org/${name}/-/${name}-${version}.tgz`,
  integrity: `sha512-${name}${version}`,
  ...more
})
const manifest = (dependencies: Ranges, more: object = {}) => JSON.stringify({ name: "app", ...more, dependencies })
const lock = (dependencies: Ranges, packages: Readonly<Record<string, object>>) =>
  JSON.stringify({ lockfileVersion: 3, packages: { "": { dependencies }, ...packages } })
const plain = (dependencies: Ranges) =>
  lock(dependencies, Object.fromEntries(Object.keys(dependencies).map((name) => [`node_modules/${name}`, entry(name)])))
const both = (dependencies: Ranges): Files => ({
  "package.json": manifest(dependencies),
  "package-lock.json": plain(dependencies)
})

const base = both({ a: "1" })
const ours = both({ a: "1", b: "1" })
const theirs = both({ a: "1", c: "1" })
const all = { a: "1", b: "1", c: "1" }

/** What is said of a result, whose recorded digests are right. */
const look = (
  result: Files,
  derived: ReadonlyArray<Pick<DerivedFile, "path" | "why">>,
  sides = { base, ours, theirs }
) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const repositories = yield* Repositories
      const seeded = yield* repositories.seed({ project, files: sides.base, message: "seed", signature })
      yield* repositories.begin({ project, commit: seeded.commit })
      const ref = { project, fork }
      yield* repositories.fork(ref)
      const treeOf = (edits: Files) =>
        Effect.map(
          repositories.commit({ into: ref, base: seeded.commit, edits, message: "edit", signature }),
          ({ tree }) => tree
        )
      const trees = {
        ref,
        base: seeded.tree,
        ours: yield* treeOf(sides.ours),
        theirs: yield* treeOf(sides.theirs),
        result: yield* treeOf(result)
      }
      const records = yield* Effect.forEach(derived, (each) =>
        Effect.map(sha256(utf8(result[each.path] ?? "")), (digest): DerivedFile => ({
          ...each,
          changeSet: "cs_run_tsk_chg_1",
          sha256: digest
        }))
      )
      return yield* derivedFiles(trees, records)
    }).pipe(Effect.provide(MemoryRepositories.layerMemory))
  )

const merged = [
  { path: "package.json", why: "merged" },
  { path: "package-lock.json", why: "merged" }
] as const
const locked = [{ path: "package-lock.json", why: "merged" }] as const
const made = [{ path: "package-lock.json", why: "made" }] as const

describe("What was derived", () => {
  it("is accepted when it is what both sides come to", async () => {
    expect(await look(both(all), merged)).toEqual({
      accepted: new Set(["package.json", "package-lock.json"]),
      problems: []
    })
  })

  it("may override what each side does, also where pnpm reads it", async () => {
    const over = (...names: ReadonlyArray<string>): Files => {
      const overrides = Object.fromEntries(names.map((name) => [name, "1"]))
      return { "package.json": manifest({}, { overrides, pnpm: { overrides } }) }
    }
    const sides = { base: over("x"), ours: over("x", "y"), theirs: over("x", "z") }
    const merge = [{ path: "package.json", why: "merged" }] as const
    expect(await look(over("x", "y", "z"), merge, sides)).toMatchObject({ problems: [] })
    expect((await look(over("x", "y"), merge, sides)).problems).toHaveLength(1)
  })

  it("may bring a new package where it was made, and its peers may be missing where that is allowed", async () => {
    const needs = manifest(
      { a: "1" },
      { peerDependencies: { p: "1" }, peerDependenciesMeta: { p: { optional: true } } }
    )
    const text = JSON.stringify({
      lockfileVersion: 3,
      packages: {
        "": { dependencies: { a: "1" }, peerDependencies: { p: "1" } },
        "node_modules/a": entry("a", "2.0.0"),
        "node_modules/a/node_modules/inside": { version: "1.0.0", inBundle: true }
      }
    })
    expect(await look({ "package.json": needs, "package-lock.json": text }, made)).toMatchObject({ problems: [] })
  })

  it("may leave out where packages are to be had, as npm can be told to", async () => {
    const bare = plain({ a: "1" }).replaceAll(/"resolved":"[^"]*",/g, "")
    const result = { "package.json": manifest({ a: "1" }), "package-lock.json": bare }
    expect(await look(result, made)).toMatchObject({ problems: [] })
  })

  const withLock = (text: string): Files => ({ "package.json": manifest(all), "package-lock.json": text })
  const brought = (more: Readonly<Record<string, object>>) =>
    withLock(
      lock(all, { "node_modules/a": entry("a"), "node_modules/b": entry("b"), "node_modules/c": entry("c"), ...more })
    )

  it.each<readonly [what: string, result: Files, derived: Parameters<typeof look>[1], problem: RegExp]>([
    ["a lock of another package.json", withLock(plain({ a: "1", b: "1" })), locked, /dependencies are not those/],
    ["a lock without a package", withLock(lock(all, { "node_modules/a": entry("a") })), locked, /has no b/],
    ["a lock with a version of neither", brought({ "node_modules/c": entry("c", "1.0.1") }), locked, /in neither/],
    ["a lock with a package of neither", brought({ "node_modules/evil": entry("evil") }), locked, /in neither/],
    [
      "a lock with other bytes of a package",
      brought({ "node_modules/c": entry("c", "1.0.0", { integrity: "sha512-evil" }) }),
      locked,
      /in neither/
    ],
    [
      "a made lock that leads elsewhere",
      brought({ "node_modules/c": entry("c", "1.0.0", { resolved: "https://example.test/c.tgz" }) }),
      made,
      /elsewhere/
    ],
    [
      "a made lock without an integrity",
      brought({ "node_modules/c": entry("c", "1.0.0", { integrity: undefined }) }),
      made,
      /no integrity/
    ],
    ["a made lock with a link", brought({ "node_modules/l": { link: true, resolved: "l" } }), made, /no package/],
    ["a made lock with a folder", brought({ "src/x": entry("x") }), made, /no package/],
    ["no lock at all", withLock("{"), made, /no lock of a package.json/],
    ["a lock of another version", withLock(plain(all).replace(":3", ":2")), made, /no lock of a package.json/],
    [
      "a package.json with one dependency more",
      { ...both(all), "package.json": manifest({ ...all, d: "1" }) },
      [{ path: "package.json", why: "merged" }],
      /not what both sides/
    ],
    [
      "a package.json without one of them",
      both({ a: "1", b: "1" }),
      [{ path: "package.json", why: "merged" }],
      /not what both sides/
    ],
    [
      "a package.json with a script that nobody wrote",
      { ...both(all), "package.json": manifest(all, { scripts: { test: "true" } }) },
      [{ path: "package.json", why: "merged" }],
      /not what both sides/
    ],
    ["another file", { "src/a.js": "1" }, [{ path: "src/a.js", why: "made" }], /no such file is derived/]
  ])("is found when it is %s", async (_, result, derived, problem) => {
    const found = await look(result, derived)
    expect(found.problems).toEqual([expect.stringMatching(problem)])
    expect(found.accepted.size).toBe(0)
  })
})
