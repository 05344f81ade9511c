import { integrityOf, layerMemory, lockText, type MemoryPackage } from "@pawl/adapters-memory/MemoryPackageStore"
import { PackageStore } from "@pawl/core/packages/PackageStore"
import { utf8 } from "@pawl/core/primitives/Digest"
import { packageStoreContract } from "@pawl/testing/contracts/packages/PackageStoreContract"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"

packageStoreContract("memory", (packages) => {
  let there = true
  const integrity = new Map(packages.map(({ name, version }) => [`${name}@${version}`, integrityOf(name, version)]))
  return Promise.resolve({
    layer: layerMemory({ packages, isThere: () => there }),
    stop: Effect.sync(() => void (there = false)),
    integrity
  })
})

describe("The registry in memory", () => {
  const packages: ReadonlyArray<MemoryPackage> = [
    { name: "a", version: "1.0.0", dependencies: { b: "^1.0.0" } },
    { name: "a", version: "1.2.0", dependencies: { b: "^1.0.0" }, deprecated: "use b" },
    { name: "b", version: "1.0.0", publishedAtMs: 5 }
  ]
  const manifest = JSON.stringify({ name: "app", dependencies: { a: "^1.0.0" } })
  const run = <A, E>(body: Effect.Effect<A, E, PackageStore>) =>
    Effect.runPromise(Effect.provide(body, layerMemory({ packages })))

  it("makes locks: the newest versions that fit, and those of a lock first", () =>
    run(
      Effect.gen(function* () {
        const store = yield* PackageStore
        const made = yield* store.lock({
          format: "npm",
          workspace: null,
          manifest: utf8(manifest),
          locks: [],
          offline: false
        })
        expect(new TextDecoder().decode(made)).toBe(lockText(manifest, packages.slice(1)))
        const old = utf8(lockText(manifest, [packages[0]!, packages[2]!]))
        expect(
          yield* store.lock({ format: "npm", workspace: null, manifest: utf8(manifest), locks: [old], offline: true })
        ).toEqual(old)
        const files = new Map([
          ["package.json", utf8(manifest)],
          ["package-lock.json", old]
        ])
        expect((yield* store.read(files))._tag).toBe("Locked")
      })
    ))

  it("knows what was said of a version, and nothing of others", () =>
    run(
      Effect.gen(function* () {
        const facts = yield* (yield* PackageStore).facts([
          { name: "a", version: "1.2.0" },
          { name: "b", version: "1.0.0" },
          { name: "c", version: "1.0.0" }
        ])
        expect(facts.map(({ deprecated, publishedAtMs }) => [deprecated, publishedAtMs])).toEqual([
          ["use b", null],
          [null, 5],
          [null, null]
        ])
      })
    ))
})
