import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { addedDirect, diffOf } from "@pawl/core/packages/PackageDiff"
import type { LockedPackage, PackageLock } from "@pawl/core/packages/PackageLock"

const names = ["a", "b", "@s/c"] as const
const versions = ["1.0.0", "1.2.0", "1.10.0", "2.0.0-beta.1", "2.0.0"] as const

const entry = fc.record({
  name: fc.constantFrom(...names),
  version: fc.constantFrom(...versions),
  integrity: fc.constantFrom("sha512-x", "sha512-x", "sha512-x", "sha512-y"),
  dev: fc.boolean(),
  installScript: fc.boolean()
})
type Entry = typeof entry extends fc.Arbitrary<infer A> ? A : never

const lockOf = (entries: ReadonlyArray<Entry>): PackageLock => ({
  file: "package-lock.json",
  format: "npm",
  packages: entries.map((each, at): LockedPackage => ({
    ...each,
    path: `node_modules/p${at}/node_modules/${each.name}`,
    optional: false,
    line: at + 1
  })),
  links: [],
  direct: entries.map(({ dev, name, version }) => ({ name, range: version, dev }))
})
const lock = fc.array(entry, { maxLength: 8 }).map(lockOf)

/** Each version of each name as often as it is there with other content. */
const held = (of: PackageLock | null): ReadonlyArray<string> =>
  [...new Set((of?.packages ?? []).map(({ integrity, name, version }) => `${name}@${version} ${integrity}`))]
    .map((each) => each.split(" ")[0]!)
    .toSorted()

const without = (all: ReadonlyArray<string>, gone: ReadonlyArray<string>): ReadonlyArray<string> => {
  const left = [...all]
  for (const each of gone) {
    const at = left.indexOf(each)
    expect(at).toBeGreaterThanOrEqual(0)
    left.splice(at, 1)
  }
  return left
}

describe("The difference of two locks", () => {
  it("leads from all versions of the one to all versions of the other, and back the other way round", () =>
    fc.assert(
      fc.property(lock, lock, (before, after) => {
        const changes = diffOf(before, after)
        const gone = changes.flatMap(({ from, name }) => (from === null ? [] : [`${name}@${from}`]))
        const come = changes.flatMap(({ name, to }) => (to === null ? [] : [`${name}@${to}`]))
        expect([...without(held(before), gone), ...come].toSorted()).toEqual(held(after))
        const pairs = (of: typeof changes) => of.map(({ from, name, to }) => [name, from, to])
        const back = diffOf(after, before).map(({ from, name, to }) => [name, to, from])
        const inOrder = (of: ReadonlyArray<unknown>) => of.map((each) => JSON.stringify(each)).toSorted()
        expect(inOrder(back)).toEqual(inOrder(pairs(changes)))
      })
    ))

  it("is nothing for the same packages, wherever they lie and in whatever order they are told", () =>
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 8 }), (entries) => {
        expect(diffOf(lockOf(entries), lockOf(entries.toReversed()))).toEqual([])
        expect(addedDirect(lockOf(entries), lockOf(entries.toReversed()))).toEqual([])
      })
    ))

  it("never adds and removes one name where a version could take the place of another", () =>
    fc.assert(
      fc.property(lock, lock, (before, after) => {
        const changes = diffOf(before, after)
        for (const name of names) {
          const own = changes.filter((each) => each.name === name)
          expect(own.some(({ from }) => from === null) && own.some(({ to }) => to === null)).toBe(false)
        }
      })
    ))
})

const at = (name: string, version: string, also: Partial<Entry> = {}): Entry => ({
  name: name as "a",
  version: version as "1.0.0",
  integrity: "sha512-x",
  dev: false,
  installScript: false,
  ...also
})

describe("A change of packages", () => {
  it("takes the highest version for the one that replaced the highest, by number", () => {
    const [before, after] = [
      lockOf([at("a", "1.2.0"), at("a", "1.10.0")]),
      lockOf([at("a", "2.0.0"), at("a", "1.2.0")])
    ]
    expect(diffOf(before, after)).toMatchObject([{ name: "a", from: "1.10.0", to: "2.0.0" }])
  })

  it("tells the same version with other content as a change of it", () => {
    const after = lockOf([at("a", "1.0.0", { integrity: "sha512-y" }), at("a", "2.0.0")])
    expect(diffOf(lockOf([at("a", "1.0.0")]), after)).toMatchObject([
      { from: "1.0.0", to: "1.0.0" },
      { from: null, to: "2.0.0" }
    ])
  })

  it("is for development only when each place of it is, and says what it asks for and where it stands", () => {
    const after = lockOf([
      at("b", "1.0.0", { dev: true }),
      at("a", "1.0.0", { dev: true, installScript: true }),
      at("b", "1.0.0")
    ])
    expect(diffOf(null, after)).toEqual([
      { name: "a", from: null, to: "1.0.0", dev: true, scripts: true, file: "package-lock.json", line: 2 },
      { name: "b", from: null, to: "1.0.0", dev: false, scripts: false, file: "package-lock.json", line: 1 }
    ])
    expect(diffOf(after, null)).toMatchObject([
      { name: "a", to: null, file: null, line: null },
      { name: "b", to: null }
    ])
  })
})
