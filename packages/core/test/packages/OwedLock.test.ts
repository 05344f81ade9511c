import { utf8 } from "@pawl/core/primitives/Digest"
import { owedLock, type PackageMerge, type PackageSide } from "@pawl/core/packages/OwedLock"
import { describe, expect, it } from "vitest"

type Ranges = Readonly<Record<string, string>>
const json = (value: unknown) => utf8(JSON.stringify(value))
const needs = (dependencies: Ranges, more: object = {}) => json({ name: "app", ...more, dependencies })
const lockOf = (dependencies: Ranges, mark = "") =>
  json({ lockfileVersion: 3, mark, packages: { "": { dependencies } } })
const side = (given: Partial<PackageSide>): PackageSide => ({ manifest: null, lock: null, pnpm: null, ...given })

/** A merge in which ours is as the base was. */
const onBase = (base: Partial<PackageSide>, theirs: Partial<PackageSide>): PackageMerge => ({
  base: side(base),
  ours: side(base),
  theirs: side(theirs),
  manifest: theirs.manifest ?? null,
  lock: theirs.lock ?? null
})

const locked = { manifest: needs({ a: "1" }), lock: lockOf({ a: "1" }) }
/** A lock of pnpm for some dependencies. */
const pnpmOf = (dependencies: Ranges, more = "") =>
  utf8(`lockfileVersion: '9.0'
${more}
importers:

  .:
    dependencies:
${Object.entries(dependencies)
  .map(([name, range]) => `      '${name}':\n        specifier: '${range}'\n        version: 1.0.0\n`)
  .join("")}`)

/** The same merge of a Project with a lock of pnpm. */
const withPnpm = (base: Partial<PackageSide>, theirs: Partial<PackageSide>): PackageMerge => ({
  ...onBase(base, theirs),
  lock: theirs.pnpm ?? null
})

const owed = (merge: PackageMerge) => owedLock(merge, ["hono", "itty-router"])
const why = (merge: PackageMerge) => owed(merge)?.why ?? null

describe("A lock is owed", () => {
  it("where dependencies changed without it, and is made beside the one that is there", () => {
    const manifest = needs({ a: "1", b: "1" })
    expect(owed(onBase(locked, { ...locked, manifest }))).toEqual({
      format: "npm",
      why: "made",
      manifest,
      locks: [locked.lock]
    })
  })

  it.each(["devDependencies", "optionalDependencies", "peerDependencies"])("where %s changed without it", (kind) => {
    expect(why(onBase(locked, { ...locked, manifest: needs({ a: "1" }, { [kind]: { b: "1" } }) }))).toBe("made")
  })

  it("where overrides changed without it, which no lock shows", () => {
    const manifest = needs({ a: "1" }, { overrides: { b: "2" } })
    expect(owed(onBase(locked, { ...locked, manifest }))).toEqual({
      format: "npm",
      why: "made",
      manifest,
      locks: [locked.lock]
    })
    expect(why(onBase({ ...locked, manifest }, locked))).toBe("made")
    expect(why(onBase({ ...locked, manifest }, { ...locked, manifest }))).toBeNull()
  })

  it("where there is none yet and a package is asked for that does not come along with Pawl", () => {
    expect(why(onBase({ manifest: needs({ hono: "4" }) }, { manifest: needs({ hono: "4", b: "1" }) }))).toBe("made")
    expect(why(onBase({}, { manifest: needs({ b: "1" }) }))).toBe("made")
  })

  it("where both sides altered it, of both", () => {
    const [ours, theirs] = [
      { manifest: needs({ a: "1", b: "1" }), lock: lockOf({ a: "1", b: "1" }) },
      { manifest: needs({ a: "1", c: "1" }), lock: lockOf({ a: "1", c: "1" }) }
    ]
    const manifest = needs({ a: "1", b: "1", c: "1" })
    const merge = { base: side(locked), ours: side(ours), theirs: side(theirs), manifest, lock: null }
    expect(owed(merge)).toEqual({ format: "npm", why: "merged", manifest, locks: [ours.lock, theirs.lock] })
    // Lines that merge by chance are no lock.
    expect(why({ ...merge, lock: lockOf({ a: "1" }, "by lines") })).toBe("merged")
  })
})

describe("No lock is owed", () => {
  it.each<readonly [what: string, merge: PackageMerge]>([
    [
      "scripts or the version changed",
      onBase(locked, { ...locked, manifest: needs({ a: "1" }, { version: "2.0.0" }) })
    ],
    ["the lock came along", onBase(locked, { manifest: needs({ b: "1" }), lock: lockOf({ b: "1" }) })],
    [
      "overrides changed, and the lock with them",
      onBase(locked, { manifest: needs({ a: "1" }, { overrides: { b: "2" } }), lock: lockOf({ a: "1" }, "other") })
    ],
    [
      "overrides changed that npm does not know",
      onBase(locked, { ...locked, manifest: needs({ a: "1" }, { resolutions: { b: "2" } }) })
    ],
    ["a lock came along that does not fit", onBase(locked, { ...locked, lock: lockOf({ b: "1" }) })],
    ["only vendored packages are asked for", onBase({ manifest: needs({}) }, { manifest: needs({ hono: "4" }) })],
    ["a package goes and there is no lock", onBase({ manifest: needs({ b: "1" }) }, { manifest: needs({}) })],
    ["the lock was taken away", onBase(locked, { manifest: needs({ a: "1", b: "1" }) })],
    [
      "there are locks of npm and of pnpm",
      onBase(locked, { ...locked, manifest: needs({ a: "1", b: "1" }), pnpm: pnpmOf({ a: "1" }) })
    ],
    ["there is no package.json", onBase(locked, { lock: locked.lock })],
    [
      "it was behind before already",
      onBase(
        { ...locked, lock: lockOf({}) },
        { ...locked, lock: lockOf({}), manifest: needs({ a: "1" }, { type: "module" }) }
      )
    ]
  ])("where %s", (_, merge) => {
    expect(owed(merge)).toBeNull()
  })
})

describe("A lock of pnpm", () => {
  const base = { manifest: needs({ a: "^1" }), pnpm: pnpmOf({ a: "^1" }) }

  it("is owed where dependencies changed without it", () => {
    const manifest = needs({ a: "^1", "@s/b": ">=1 <2" })
    expect(owed(withPnpm(base, { manifest, pnpm: base.pnpm }))).toEqual({
      format: "pnpm",
      why: "made",
      manifest,
      locks: [base.pnpm]
    })
    expect(owed(withPnpm(base, { manifest: needs({}), pnpm: base.pnpm }))?.why).toBe("made")
  })

  it.each([
    { resolutions: { b: "2" } },
    { pnpm: { overrides: { b: "2" } } },
    { pnpm: { packageExtensions: { b: { dependencies: { c: "1" } } } } }
  ])("is owed where only %j changed, and came along where the lock did", (more) => {
    const manifest = needs({ a: "^1" }, more)
    expect(owed(withPnpm(base, { manifest, pnpm: base.pnpm }))?.why).toBe("made")
    expect(owed(withPnpm(base, { manifest, pnpm: pnpmOf({ a: "^1" }, "overrides:\n  b: '2'\n") }))).toBeNull()
  })

  it("is owed where both sides altered it, of both", () => {
    const manifest = needs({ a: "^1", b: "1", c: "1" })
    const [ours, theirs] = ["b", "c"].map((name) => ({
      manifest: needs({ a: "^1", [name]: "1" }),
      pnpm: pnpmOf({ a: "^1", [name]: "1" })
    }))
    const merge = { base: side(base), ours: side(ours!), theirs: side(theirs!), manifest, lock: null }
    expect(owed(merge)).toEqual({ format: "pnpm", why: "merged", manifest, locks: [ours!.pnpm, theirs!.pnpm] })
    // What pnpm did not write so is merged by nobody.
    expect(owed({ ...merge, theirs: side({ ...theirs!, pnpm: utf8("? a\n: b\n") }) })).toBeNull()
  })

  it("is owed, as the first, where package.json says that pnpm is used", () => {
    const manifest = needs({ a: "1" }, { packageManager: "pnpm@10.1.0" })
    expect(owed(onBase({}, { manifest }))).toMatchObject({ format: "pnpm", why: "made", locks: [] })
  })

  it.each<readonly [what: string, manifest: Uint8Array, pnpm: Uint8Array]>([
    ["it came along", needs({ a: "^1", b: "1" }), pnpmOf({ a: "^1", b: "1" })],
    ["it overrides what is asked for", needs({ a: "^2" }), pnpmOf({ a: "^1" }, "overrides:\n  'x>a@^2': ^1\n")],
    ["only scripts changed", needs({ a: "^1" }, { scripts: { x: "y" } }), base.pnpm],
    [
      "what it installed for the root's peers is its own",
      needs({ a: "^1" }, { peerDependencies: { p: "1" } }),
      pnpmOf({ a: "^1", p: "1" })
    ]
  ])("is not owed where %s", (_, manifest, pnpm) => {
    expect(owed(withPnpm(base, { manifest, pnpm }))).toBeNull()
  })

  it("is not made again where it was taken away", () => {
    expect(owed(withPnpm(base, { manifest: needs({ a: "^1", b: "1" }) }))).toBeNull()
  })
})
