import { readdirSync } from "node:fs"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { layersFolder } from "@pawl/adapters-local/packages/LayerFolders"
import { PackageStore } from "@pawl/core/packages/PackageStore"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { entryOf, failureOf, layerOf, lockIn, runInStore, sourceWith, type Written } from "./StoreKit.ts"

describe("What cannot be installed", () => {
  const refusal = (written: Written, more: Readonly<Record<string, unknown>> = {}) =>
    runInStore([written], (kit, [archive]) =>
      Effect.map(
        failureOf(layerOf(sourceWith({ [`node_modules/${written.name}`]: { ...entryOf(archive!), ...more } }))),
        (failure) => ({ failure, layers: readdirSync(layersFolder(kit.data)) })
      )
    )

  it("a package that works only after its script is refused by name and line, with what to use instead", async () => {
    const scripts = { install: "node scripts/install.js", postinstall: "node scripts/build.js" }
    const { failure, layers } = await refusal({
      name: "node-sass",
      files: { "binding.gyp": "{}", "scripts/install.js": "", "scripts/build.js": "" },
      manifest: { scripts }
    })
    expect(failure).toMatchObject([{ code: "install_script_needed", file: "package-lock.json", line: 7 }])
    expect(JSON.stringify(failure)).toMatch(
      /node-sass 1\.0\.0 works only after its `install` and `postinstall` script has run.*use `sass`/
    )
    expect(layers).toEqual([])
  })

  it("one that fetches the rest of itself is refused where the app needs it, and taken where only tests elsewhere do", () =>
    runInStore([{ name: "cypress", manifest: { scripts: { postinstall: "node x.js" } } }], (_, [cypress]) =>
      Effect.gen(function* () {
        const of = (more: object) =>
          failureOf(layerOf(sourceWith({ "node_modules/cypress": { ...entryOf(cypress!), ...more } })))
        for (const more of [{ dev: true }, { optional: true }]) expect(yield* of(more)).toBe("made")
        expect(yield* of({})).toMatchObject([
          {
            code: "install_script_needed",
            file: "package-lock.json",
            line: 7,
            message: expect.stringMatching(/cypress 1\.0\.0.*`postinstall`/)
          }
        ])
      })
    ))

  it("an optional one that needs its script is left out, with what stands below it", () =>
    runInStore([{ name: "x", files: { "binding.gyp": "{}" } }, { name: "a" }], (_, [x, a]) =>
      Effect.gen(function* () {
        const layer = yield* layerOf(
          sourceWith({
            "node_modules/a": entryOf(a!),
            "node_modules/x": { ...entryOf(x!), optional: true },
            "node_modules/x/node_modules/a": { ...entryOf(a!), optional: true }
          })
        )
        expect(layer.packages.map(({ path }) => path)).toEqual(["node_modules/a"])
      })
    ))

  it("a program that is a path is refused by line", async () => {
    const { failure } = await refusal({ name: "x", files: { "x.js": "" }, manifest: { bin: { "../../sh": "x.js" } } })
    expect(failure).toMatchObject([{ code: "package_program", line: 7 }])
  })

  it("another package than the lock names is refused, also when its archive is there already", () =>
    runInStore([{ name: "x" }, { name: "y" }], (_, [x]) =>
      Effect.gen(function* () {
        yield* layerOf(sourceWith({ "node_modules/x": entryOf(x!) }))
        const failure = yield* failureOf(layerOf(sourceWith({ "node_modules/y": entryOf(x!) })))
        expect(failure).toMatchObject([{ code: "package_not_as_locked", line: 7 }])
      })
    ))

  it("every package that is refused is told, in the order of the lock", () =>
    runInStore(
      [
        { name: "a", files: { "binding.gyp": "{}" } },
        { name: "b", files: { "binding.gyp": "{}" } }
      ],
      (_, [a, b]) =>
        Effect.gen(function* () {
          const files = sourceWith({
            "node_modules/b": entryOf(b!),
            "node_modules/a": entryOf(a!),
            "node_modules/c": { ...entryOf(b!) }
          })
          const failure = yield* failureOf(layerOf(files))
          expect(Array.isArray(failure) && failure.map(({ code, line }) => [code, line])).toEqual([
            ["install_script_needed", 11],
            ["install_script_needed", 7],
            ["package_not_as_locked", 15]
          ])
        })
    ))

  it("2,001 packages are refused before anything is asked for", () =>
    runInStore([{ name: "a" }], (kit, [a]) =>
      Effect.gen(function* () {
        const store = yield* PackageStore
        const lock = yield* lockIn(sourceWith({ "node_modules/a": entryOf(a!) }))
        const [one] = lock.packages
        const packages = Array.from({ length: 2001 }, (_, at) => ({ ...one!, path: `node_modules/a${at}` }))
        expect(yield* failureOf(store.layer({ ...lock, packages }))).toMatchObject([{ code: "packages_over_limit" }])
        expect(kit.registry.asked()).toEqual([])
      })
    ))

  it("more files than a layer may have are refused, and the biggest package is named", () =>
    runInStore(
      [{ name: "big", files: Object.fromEntries(Array.from({ length: 700 }, (_, at) => [`${at}.js`, ""])) }],
      (_, [big]) =>
        Effect.gen(function* () {
          const places = Array.from({ length: 90 }, (_, at) => [`node_modules/a${at}/node_modules/big`, entryOf(big!)])
          const failure = yield* failureOf(layerOf(sourceWith(Object.fromEntries(places))))
          expect(failure).toMatchObject([{ code: "packages_over_limit" }])
          expect(JSON.stringify(failure)).toContain("big@1.0.0 (701)")
        })
    ))

  it("more bytes than a layer may have are refused, and the biggest package is named", () =>
    runInStore([{ name: "big", files: { "big.bin": "\0".repeat(5 * 1024 * 1024) } }], (_, [big]) =>
      Effect.gen(function* () {
        const layer = (count: number) => {
          const places = Array.from({ length: count }, (_, at) => `node_modules/a${at}/node_modules/big`)
          return failureOf(layerOf(sourceWith(Object.fromEntries(places.map((each) => [each, entryOf(big!)])))))
        }
        // Each has some bytes beside its five MiB.
        const failure = yield* layer(LocalLimits.layerBytes / (5 * 1024 * 1024))
        expect(failure).toMatchObject([{ code: "packages_over_limit", file: "package-lock.json" }])
        expect(JSON.stringify(failure)).toMatch(/unpack to 4194\d+ bytes or more; 419430400 may .* big@1\.0\.0 \(52/)
        expect(yield* layer(1)).toBe("made")
      })
    ))

  it("names of real login are refused before anything is asked for", () =>
    runInStore([{ name: "bcryptjs" }], (kit, [bcrypt]) =>
      Effect.gen(function* () {
        const source = sourceWith(
          { "node_modules/bcryptjs": entryOf(bcrypt!) },
          { dependencies: { bcryptjs: "1.0.0" } }
        )
        const read = yield* (yield* PackageStore).read(source)
        expect(read).toMatchObject({
          _tag: "Refused",
          problems: [{ code: "auth_package", file: "package.json", line: 1 }]
        })
        expect(kit.registry.asked()).toEqual([])
      })
    ))
})
