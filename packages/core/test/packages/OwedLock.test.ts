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
const why = (merge: PackageMerge) => owedLock(merge)?.why ?? null

describe("A lock is owed", () => {
  it("where dependencies changed without it, and is made beside the one that is there", () => {
    const manifest = needs({ a: "1", b: "1" })
    expect(owedLock(onBase(locked, { ...locked, manifest }))).toEqual({ why: "made", manifest, locks: [locked.lock] })
  })

  it.each(["devDependencies", "optionalDependencies", "peerDependencies"])("where %s changed without it", (kind) => {
    expect(why(onBase(locked, { ...locked, manifest: needs({ a: "1" }, { [kind]: { b: "1" } }) }))).toBe("made")
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
    expect(owedLock(merge)).toEqual({ why: "merged", manifest, locks: [ours.lock, theirs.lock] })
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
    ["a lock came along that does not fit", onBase(locked, { ...locked, lock: lockOf({ b: "1" }) })],
    ["only vendored packages are asked for", onBase({ manifest: needs({}) }, { manifest: needs({ hono: "4" }) })],
    ["a package goes and there is no lock", onBase({ manifest: needs({ b: "1" }) }, { manifest: needs({}) })],
    ["the lock was taken away", onBase(locked, { manifest: needs({ a: "1", b: "1" }) })],
    [
      "the lock is pnpm's",
      onBase({ manifest: needs({}), pnpm: json(1) }, { manifest: needs({ b: "1" }), pnpm: json(1) })
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
    expect(owedLock(merge)).toBeNull()
  })
})
