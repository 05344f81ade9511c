/** What a PackageStore promises: locks are read alike, layers are what the lock says, and stay to be had. */
import { Effect, Exit, type Layer } from "effect"
import { describe, expect, it } from "vitest"
import { npmLockFile } from "@pawl/core/packages/NpmLock"
import { manifestFiles, pnpmLockFile } from "@pawl/core/packages/LockFiles"
import type { PackageLock } from "@pawl/core/packages/PackageLock"
import {
  type ManifestFiles,
  PackagesRefused,
  PackageStore,
  PackagesUnavailable
} from "@pawl/core/packages/PackageStore"
import { utf8 } from "@pawl/core/primitives/Digest"
import { pnpmLockText } from "../../registry/PnpmLockText.ts"

/** A package that the registry of a fixture has. */
export interface ContractPackage {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly license: string
  /** Names of install scripts that it has. */
  readonly scripts?: ReadonlyArray<string>
}

/** The same as a registry is given it: by name and version, with what else stands in its package.json. */
export const publishedAs = ({ dependencies, license, name, scripts = [], version }: ContractPackage) => ({
  name,
  version,
  manifest: {
    license,
    ...(dependencies === undefined ? {} : { dependencies }),
    // Nobody may run them.
    scripts: Object.fromEntries(scripts.map((script) => [script, "exit 1"]))
  }
})

/** A store over a registry that has certain packages. */
export interface PackageStoreFixture {
  /** Takes the registry away for good. */
  readonly stop: Effect.Effect<void>
  readonly layer: Layer.Layer<PackageStore, unknown>
  /** The integrity that the registry has for each, by `name@version`. */
  readonly integrity: ReadonlyMap<string, string>
}

/** The packages that the suite asks for. */
const contractPackages: ReadonlyArray<ContractPackage> = [
  { name: "left", version: "1.0.0", license: "MIT", dependencies: { "@scope/right": "^2.0.0" } },
  { name: "left", version: "1.1.0", license: "MIT", dependencies: { "@scope/right": "^2.0.0" } },
  { name: "@scope/right", version: "2.0.0", license: "Apache-2.0", scripts: ["postinstall"] },
  { name: "alone", version: "0.1.0", license: "ISC" }
]

const manifest = (dependencies: Readonly<Record<string, string>>, dev: Readonly<Record<string, string>> = {}): string =>
  JSON.stringify({ name: "app", dependencies, devDependencies: dev })

interface Place {
  readonly path: string
  readonly version: string
  readonly integrity: string
  readonly dev?: boolean
}

const lockOf = (own: string, places: ReadonlyArray<Place>): ManifestFiles => {
  const root: unknown = JSON.parse(own)
  const packages = Object.fromEntries([["", root], ...places.map(({ path, ...entry }) => [path, entry])])
  const text = JSON.stringify({ lockfileVersion: 3, packages }, null, 2)
  return new Map([
    ["package.json", utf8(own)],
    [npmLockFile, utf8(text)]
  ])
}

/** A lock of pnpm of packages of a fixture: what package.json needs, and the one version of each name. */
const pnpmLock = (
  { integrity }: PackageStoreFixture,
  needs: Readonly<Record<string, string>>,
  versions: Readonly<Record<string, string>>
): Uint8Array =>
  utf8(
    pnpmLockText({
      direct: Object.fromEntries(
        Object.entries(needs).map(([name, specifier]) => [name, { specifier, version: versions[name] ?? "" }])
      ),
      packages: Object.fromEntries(
        Object.entries(versions).map(([name, version]) => [
          `${name}@${version}`,
          name === "left" ? { "@scope/right": "2.0.0" } : {}
        ])
      ),
      integrityOf: (key) => integrity.get(key) ?? ""
    })
  )

const lockedBy = (files: ManifestFiles): Effect.Effect<PackageLock, PackagesUnavailable, PackageStore> =>
  Effect.gen(function* () {
    const read = yield* (yield* PackageStore).read(files)
    if (read._tag !== "Locked") throw new Error(JSON.stringify(read))
    return read.lock
  })

const layerOf = (lock: PackageLock) => Effect.flatMap(PackageStore, (store) => store.layer(lock))

const failure = <A, E>(exit: Exit.Exit<A, E>): unknown =>
  Exit.isFailure(exit) ? exit.cause.reasons.flatMap((each) => (each._tag === "Fail" ? [each.error] : []))[0] : undefined

type Promised = (
  title: string,
  body: (fixture: PackageStoreFixture) => Effect.Effect<void, unknown, PackageStore>
) => void

/** Of a store that makes locks, and knows what the registry says. */
const madeLocks = (promise: Promised): void => {
  promise("a lock that is made is read, in either form, and its packages are had", () =>
    Effect.gen(function* () {
      const store = yield* PackageStore
      const own = utf8(manifest({ left: "^1.0.0" }))
      for (const [format, file] of [
        ["npm", npmLockFile],
        ["pnpm", pnpmLockFile]
      ] as const) {
        const made = yield* store.lock({ format, manifest: own, locks: [], workspace: null, offline: false })
        const files = new Map([
          ["package.json", own],
          [file, made]
        ])
        const layer = yield* layerOf(yield* lockedBy(files))
        expect(layer.packages.map(({ name, version }) => [name, version])).toEqual([
          ["@scope/right", "2.0.0"],
          ["left", "1.1.0"]
        ])
      }
    })
  )

  promise("two locks of pnpm come to one of their versions alone, with the registry gone", (fixture) =>
    Effect.gen(function* () {
      const store = yield* PackageStore
      const left = { left: "1.0.0", "@scope/right": "2.0.0" }
      const locks = [
        pnpmLock(fixture, { left: "^1.0.0" }, left),
        pnpmLock(fixture, { alone: "0.1.0" }, { alone: "0.1.0" })
      ]
      const own = utf8(manifest({ left: "^1.0.0", alone: "0.1.0" }))
      yield* fixture.stop
      const merged = yield* store.lock({ format: "pnpm", manifest: own, locks, workspace: null, offline: true })
      const files = new Map([
        ["package.json", own],
        [pnpmLockFile, merged]
      ])
      const { packages } = yield* lockedBy(files)
      expect(packages.map(({ name, version }) => `${name} ${version}`).toSorted()).toEqual([
        "@scope/right 2.0.0",
        "alone 0.1.0",
        "left 1.0.0"
      ])
    })
  )

  promise("facts are told in the order of the question, also of what nobody knows", () =>
    Effect.gen(function* () {
      const asked = [
        { name: "left", version: "1.1.0" },
        { name: "nobody", version: "9.9.9" },
        { name: "alone", version: "0.1.0" }
      ]
      const facts = yield* (yield* PackageStore).facts(asked)
      expect(facts.map(({ name, version }) => ({ name, version }))).toEqual(asked)
      expect(facts[1]?.publishedAtMs).toBeNull()
    })
  )
}

/**
 * Declares the suite; `open` is called for each test. A store may only read npm's locks and have their layers (`makes`): it
 * says so where more is asked of it.
 */
export const packageStoreContract = (
  name: string,
  open: (packages: ReadonlyArray<ContractPackage>) => Promise<PackageStoreFixture>,
  makes: "locks" | "layers" = "locks"
): void => {
  const promise: Promised = (title, body) =>
    it(title, async () => {
      const fixture = await open(contractPackages)
      const program = Effect.ensuring(Effect.provide(body(fixture), fixture.layer), fixture.stop)
      await Effect.runPromise(program)
    })
  const place = ({ integrity }: PackageStoreFixture, path: string, version: string, own?: string): Place => {
    const of = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)
    return { path, version, integrity: own ?? integrity.get(`${of}@${version}`) ?? "" }
  }
  const both = (fixture: PackageStoreFixture, dev = false): ManifestFiles =>
    lockOf(dev ? manifest({}, { left: "^1.0.0" }) : manifest({ left: "^1.0.0" }), [
      { ...place(fixture, "node_modules/@scope/right", "2.0.0"), dev },
      { ...place(fixture, "node_modules/left", "1.0.0"), dev }
    ])

  describe(`${name}: PackageStore`, () => {
    promise("a source without a lock has none, and one with two is refused", (fixture) =>
      Effect.gen(function* () {
        const store = yield* PackageStore
        expect(manifestFiles).toContain("package.json")
        expect(yield* store.read(new Map([["package.json", utf8(manifest({ left: "*" }))]]))).toEqual({ _tag: "None" })
        const two = new Map([...both(fixture), ["pnpm-lock.yaml", utf8("lockfileVersion: '9.0'\n")]])
        const read = yield* store.read(two)
        expect(read._tag === "Refused" && read.problems.map(({ code }) => code)).toEqual(["two_locks"])
      })
    )

    promise("a layer has the packages of its lock, by path, with what their own package.json says", (fixture) =>
      Effect.gen(function* () {
        const layer = yield* layerOf(yield* lockedBy(both(fixture)))
        expect(
          layer.packages.map(({ path, ...each }) => [path, each.name, each.version, each.license, each.scripts])
        ).toEqual([
          ["node_modules/@scope/right", "@scope/right", "2.0.0", "Apache-2.0", ["postinstall"]],
          ["node_modules/left", "left", "1.0.0", "MIT", []]
        ])
        expect(layer.id).toMatch(/^[0-9a-f]{64}$/)
      })
    )

    promise("a lock of pnpm has a layer too, of the packages that it names", (fixture) =>
      Effect.gen(function* () {
        const versions = { left: "1.0.0", "@scope/right": "2.0.0" }
        const lock = yield* lockedBy(
          new Map([
            ["package.json", utf8(manifest({ left: "1.0.0" }))],
            [pnpmLockFile, pnpmLock(fixture, { left: "1.0.0" }, versions)]
          ])
        )
        expect(lock).toMatchObject({ file: pnpmLockFile, format: "pnpm" })
        const { packages } = yield* layerOf(lock)
        expect(packages.map(({ name, version }) => `${name} ${version}`)).toEqual(["@scope/right 2.0.0", "left 1.0.0"])
      })
    )

    promise("equal packages have one layer, whoever needs them for what; others have another", (fixture) =>
      Effect.gen(function* () {
        const one = yield* layerOf(yield* lockedBy(both(fixture)))
        const again = yield* layerOf(yield* lockedBy(both(fixture)))
        const dev = yield* layerOf(yield* lockedBy(both(fixture, true)))
        expect(again).toEqual(one)
        expect(dev.id).toBe(one.id)
        expect(dev.packages.map((each) => each.dev)).toEqual([true, true])
        const other = lockOf(manifest({ alone: "0.1.0" }), [place(fixture, "node_modules/alone", "0.1.0")])
        expect((yield* layerOf(yield* lockedBy(other))).id).not.toBe(one.id)
      })
    )

    promise("asked for by many at once it is one layer", (fixture) =>
      Effect.gen(function* () {
        const lock = yield* lockedBy(both(fixture))
        const layers = yield* Effect.all(
          Array.from({ length: 8 }, () => layerOf(lock)),
          { concurrency: "unbounded" }
        )
        expect(new Set(layers.map(({ id }) => id)).size).toBe(1)
      })
    )

    promise("a source without packages has a layer without packages", () =>
      Effect.gen(function* () {
        const layer = yield* layerOf(yield* lockedBy(lockOf(manifest({}), [])))
        expect(layer.packages).toEqual([])
      })
    )

    if (makes === "locks") madeLocks(promise)
    else
      promise("it makes no lock and asks for nothing about versions, and says so", () =>
        Effect.gen(function* () {
          const store = yield* PackageStore
          const own = utf8(manifest({ left: "^1.0.0" }))
          const request = { format: "npm", manifest: own, locks: [], workspace: null, offline: false } as const
          expect(failure(yield* Effect.exit(store.lock(request)))).toBeInstanceOf(PackagesRefused)
          const facts = store.facts([{ name: "left", version: "1.0.0" }])
          expect(failure(yield* Effect.exit(facts))).toBeInstanceOf(PackagesUnavailable)
        })
      )

    promise("a package that is not what the lock says is refused by name and line", (fixture) =>
      Effect.gen(function* () {
        const forged = fixture.integrity.get("left@1.0.0") ?? ""
        const lock = yield* lockedBy(
          lockOf(manifest({ alone: "0.1.0" }), [place(fixture, "node_modules/alone", "0.1.0", forged)])
        )
        const refused = failure(yield* Effect.exit(layerOf(lock)))
        expect(refused).toBeInstanceOf(PackagesRefused)
        const [problem] = refused instanceof PackagesRefused ? refused.problems : []
        expect(problem?.message).toContain("alone")
        expect(problem?.line).toBe(lock.packages[0]?.line)
        expect(problem?.line).toBeGreaterThan(1)
      })
    )

    promise("what was made once is to be had with the registry gone; what was not waits for it", (fixture) =>
      Effect.gen(function* () {
        const lock = yield* lockedBy(both(fixture))
        const made = yield* layerOf(lock)
        yield* fixture.stop
        expect(yield* layerOf(lock)).toEqual(made)
        const other = yield* lockedBy(
          lockOf(manifest({ alone: "0.1.0" }), [place(fixture, "node_modules/alone", "0.1.0")])
        )
        expect(failure(yield* Effect.exit(layerOf(other)))).toBeInstanceOf(PackagesUnavailable)
      })
    )
  })
}
