import { createHash } from "node:crypto"
import { accessSync, constants, existsSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { cacheFolders } from "@pawl/adapters-local/packages/CacheFolders"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { layersFolder } from "@pawl/adapters-local/packages/LayerFolders"
import { PackageStore, PackagesUnavailable } from "@pawl/core/packages/PackageStore"
import { packageStoreContract } from "@pawl/testing/contracts/packages/PackageStoreContract"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import {
  entryOf,
  failureOf,
  layerOf,
  lockIn,
  openKit,
  published,
  sourceWith,
  type StoreKit,
  type Written
} from "./StoreKit.ts"

packageStoreContract("npm", async (packages) => {
  const all = packages.map(({ dependencies, license, name, scripts = [], version }) =>
    published({
      name,
      version,
      manifest: {
        license,
        ...(dependencies === undefined ? {} : { dependencies }),
        scripts: Object.fromEntries(scripts.map((script) => [script, "exit 1"]))
      }
    })
  )
  const kit = await openKit(...all)
  return {
    layer: kit.layer,
    stop: Effect.promise(() => kit.registry.close()),
    integrity: new Map(all.map((each) => [`${each.name}@${each.version}`, entryOf(each).integrity]))
  }
})

/** Every file of a layer with its digest, and every link with what it says. */
const contentOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .flatMap((entry) => {
      const path = join(entry.parentPath, entry.name)
      if (entry.isSymbolicLink()) return [`${path} -> ${readlinkSync(path)}`]
      return entry.isFile() ? [`${path} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`] : []
    })
    .toSorted()

const run = async <A, E>(
  packages: ReadonlyArray<Written>,
  body: (kit: StoreKit, archives: ReadonlyArray<ReturnType<typeof published>>) => Effect.Effect<A, E, PackageStore>
): Promise<A> => {
  const archives = packages.map(published)
  const kit = await openKit(...archives)
  try {
    return await Effect.runPromise(Effect.provide(body(kit, archives), kit.layer))
  } finally {
    await kit.close()
  }
}

const nodeModules = ({ data }: StoreKit, { id }: { readonly id: string }, ...path: ReadonlyArray<string>): string =>
  join(layersFolder(data), id, "node_modules", ...path)

/** The processes of installations that this one has started. */
const installing = (): ReadonlyArray<number> =>
  readdirSync("/proc/self/task")
    .flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" "))
    .filter((pid) => pid !== "" && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("InstallProcess"))
    .map(Number)

describe("A layer", () => {
  it("has files for reading alone, programs that may be run, empty folders for caches, and no script was run", () =>
    run(
      [
        { name: "a", files: { "lib/index.js": "1" } },
        {
          name: "@s/tool",
          files: { "cli.js": "#!/usr/bin/env node\n" },
          manifest: { bin: "cli.js", scripts: { postinstall: "touch /tmp/ran" } }
        }
      ],
      (kit, [a, tool]) =>
        Effect.gen(function* () {
          const files = sourceWith({ "node_modules/a": entryOf(a!), "node_modules/@s/tool": entryOf(tool!) })
          const layer = yield* layerOf(files)
          const at = (...path: ReadonlyArray<string>) => nodeModules(kit, layer, ...path)
          expect(statSync(at("a/lib/index.js")).mode & 0o777).toBe(0o444)
          expect(readlinkSync(at(".bin/tool"))).toBe("../@s/tool/cli.js")
          accessSync(at(".bin/tool"), constants.X_OK)
          for (const folder of cacheFolders) expect(readdirSync(at(folder))).toEqual([])
          expect(layer.packages.map(({ name, scripts }) => [name, scripts])).toEqual([
            ["@s/tool", ["postinstall"]],
            ["a", []]
          ])
          expect(readdirSync(at(".."))).toEqual(["layer.json", "node_modules"])
          const { files: listed } = JSON.parse(readFileSync(at("../layer.json"), "utf8")) as {
            files: ReadonlyArray<string>
          }
          expect(listed).toEqual([
            "node_modules/@s/tool/cli.js",
            "node_modules/@s/tool/package.json",
            "node_modules/a/lib/index.js",
            "node_modules/a/package.json"
          ])
        })
    ))

  it("has no program in place of the system's own, and of two that of the direct dependency", () =>
    run(
      [
        {
          name: "a",
          files: { "x.js": "a" },
          manifest: { bin: { sh: "x.js", node: "x.js", tool: "x.js", missing: "no.js" } }
        },
        { name: "b", files: { "bin/tool": "b", "bin/.hidden": "b" }, manifest: { directories: { bin: "./bin" } } }
      ],
      (kit, [a, b]) =>
        Effect.gen(function* () {
          const manifest = { dependencies: { b: "1.0.0" } }
          const layer = yield* layerOf(
            sourceWith({ "node_modules/a": entryOf(a!), "node_modules/b": entryOf(b!) }, manifest)
          )
          expect(readdirSync(nodeModules(kit, layer, ".bin"))).toEqual(["tool"])
          expect(readlinkSync(nodeModules(kit, layer, ".bin/tool"))).toBe("../b/bin/tool")
        })
    ))

  it("takes what a package bundles, but for what the lock puts in its place; both share what is the same", () =>
    run(
      [
        {
          name: "a",
          files: {
            "node_modules/in/package.json": "{}",
            "node_modules/b/package.json": "{}",
            "node_modules/b/old.js": ""
          },
          manifest: { bundleDependencies: ["in", "b"] }
        },
        { name: "b" }
      ],
      (kit, [a, b]) =>
        Effect.gen(function* () {
          const layer = yield* layerOf(
            sourceWith({
              "node_modules/a": entryOf(a!),
              "node_modules/a/node_modules/in": { version: "1.0.0", inBundle: true },
              "node_modules/a/node_modules/b": entryOf(b!),
              "node_modules/b": entryOf(b!)
            })
          )
          expect(readdirSync(nodeModules(kit, layer, "a/node_modules")).toSorted()).toEqual(["b", "in"])
          expect(readdirSync(nodeModules(kit, layer, "a/node_modules/b"))).toEqual(["package.json"])
          const [one, other] = ["b", "a/node_modules/b"].map((path) =>
            statSync(nodeModules(kit, layer, path, "package.json"))
          )
          expect(one?.ino).toBe(other?.ino)
        })
    ))

  it("is the same again when its registry is gone and every cache was dropped", () =>
    run([{ name: "a", files: { "index.js": "1" }, manifest: { bin: "index.js" } }, { name: "b" }], (kit, [a, b]) =>
      Effect.gen(function* () {
        const files = sourceWith({ "node_modules/a": entryOf(a!), "node_modules/a/node_modules/b": entryOf(b!) })
        const layer = yield* layerOf(files)
        const before = contentOf(nodeModules(kit, layer))
        expect(before.length).toBeGreaterThan(3)
        yield* Effect.promise(() => kit.registry.close())
        for (const cache of ["layers", "unpacked"])
          rmSync(join(kit.data, "packages", cache), { recursive: true, force: true })
        expect(yield* Effect.provide(layerOf(files), kit.layer)).toEqual(layer)
        expect(contentOf(nodeModules(kit, layer))).toEqual(before)
      })
    ))

  it("is fetched once for many locks that have the same packages", () =>
    run([{ name: "a" }, { name: "b" }], (kit, [a, b]) =>
      Effect.gen(function* () {
        yield* layerOf(sourceWith({ "node_modules/a": entryOf(a!) }))
        yield* layerOf(sourceWith({ "node_modules/a": entryOf(a!), "node_modules/b": entryOf(b!) }))
        yield* layerOf(sourceWith({ "node_modules/b": entryOf(b!), "node_modules/b/node_modules/a": entryOf(a!) }))
        expect(kit.registry.asked().map(({ path }) => path)).toEqual(["/a/-/a-1.0.0.tgz", "/b/-/b-1.0.0.tgz"])
      })
    ))

  it("is whole when two servers on one folder make it at once", () =>
    run([{ name: "a", files: { "index.js": "1" } }], (kit, [a]) =>
      Effect.gen(function* () {
        const files = sourceWith({ "node_modules/a": entryOf(a!) })
        const servers = Array.from({ length: 3 }, () => Effect.provide(layerOf(files), kit.layer, { local: true }))
        const layers = yield* Effect.all(servers, { concurrency: "unbounded" })
        expect(new Set(layers.map(({ id }) => id)).size).toBe(1)
        expect(readFileSync(nodeModules(kit, layers[0]!, "a/index.js"), "utf8")).toBe("1")
        expect(readdirSync(join(kit.data, "packages/work"))).toEqual([])
      })
    ))

  it("is not there when the process that makes it was killed, and is made by the next", () =>
    run([{ name: "a" }, { name: "b" }], (kit, [a, b]) =>
      Effect.gen(function* () {
        const reached = yield* Deferred.make<void>()
        kit.registry.misbehave(({ path }) => {
          if (path !== "/b/-/b-1.0.0.tgz") return false
          Effect.runSync(Deferred.succeed(reached, undefined))
          return true
        })
        const files = sourceWith({ "node_modules/a": entryOf(a!), "node_modules/b": entryOf(b!) })
        const others = new Set(installing())
        const made = yield* Effect.forkChild(failureOf(layerOf(files)))
        yield* Deferred.await(reached)
        const pid = installing().find((each) => !others.has(each))
        process.kill(pid!, "SIGKILL")
        expect(yield* Fiber.join(made)).toBeInstanceOf(PackagesUnavailable)
        expect(readdirSync(layersFolder(kit.data))).toEqual([])
        expect(readdirSync(join(kit.data, "packages/work"))).toEqual([])
        kit.registry.misbehave(null)
        expect((yield* layerOf(files)).packages.length).toBe(2)
      })
    ))

  it("waits for another time when a registry hangs for as long as it may take, and nothing is left of it", () =>
    run([{ name: "a" }], (kit, [a]) =>
      Effect.gen(function* () {
        const reached = yield* Deferred.make<void>()
        kit.registry.misbehave(() => (Effect.runSync(Deferred.succeed(reached, undefined)), true))
        const made = yield* Effect.forkChild(failureOf(layerOf(sourceWith({ "node_modules/a": entryOf(a!) }))))
        yield* Deferred.await(reached)
        yield* TestClock.adjust(LocalLimits.installMs)
        const failure = yield* Fiber.join(made)
        expect(failure).toBeInstanceOf(PackagesUnavailable)
        expect(failure instanceof PackagesUnavailable && failure.reason).toContain("took longer than 600 seconds")
        expect(readdirSync(join(kit.data, "packages/work"))).toEqual([])
      }).pipe(Effect.provide(TestClock.layer()))
    ))

  it("leaves no process and no folder behind when nobody waits for it any more", () =>
    run([{ name: "a" }], (kit, [a]) =>
      Effect.gen(function* () {
        const reached = yield* Deferred.make<void>()
        kit.registry.misbehave(() => (Effect.runSync(Deferred.succeed(reached, undefined)), true))
        const made = yield* Effect.forkChild(layerOf(sourceWith({ "node_modules/a": entryOf(a!) })))
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(made)
        expect(readdirSync(join(kit.data, "packages/work"))).toEqual([])
        expect(existsSync(join(kit.data, "packages/layers"))).toBe(true)
      })
    ))

  it("is made anew when it was made before the machine started", () =>
    run([{ name: "a" }], (kit, [a]) =>
      Effect.gen(function* () {
        const files = sourceWith({ "node_modules/a": entryOf(a!) })
        const layer = yield* layerOf(files)
        const place = nodeModules(kit, layer, "../layer.json")
        const inode = statSync(place).ino
        const { boot: _, ...rest } = JSON.parse(readFileSync(place, "utf8")) as { boot: string }
        rmSync(nodeModules(kit, layer, "a"), { recursive: true })
        yield* Effect.promise(() =>
          import("node:fs/promises").then((fs) => fs.writeFile(place, JSON.stringify({ ...rest, boot: "another" })))
        )
        expect(yield* Effect.provide(layerOf(files), kit.layer, { local: true })).toEqual(layer)
        expect(statSync(place).ino).not.toBe(inode)
        expect(existsSync(nodeModules(kit, layer, "a/package.json"))).toBe(true)
      })
    ))
})

describe("What cannot be installed", () => {
  const refusal = (written: Written, more: Readonly<Record<string, unknown>> = {}) =>
    run([written], (kit, [archive]) =>
      Effect.map(
        failureOf(layerOf(sourceWith({ [`node_modules/${written.name}`]: { ...entryOf(archive!), ...more } }))),
        (failure) => ({ failure, layers: readdirSync(layersFolder(kit.data)) })
      )
    )

  it("a package that works only after its script is refused by name and line, with what to use instead", async () => {
    const { failure, layers } = await refusal({ name: "node-sass", files: { "binding.gyp": "{}" } })
    expect(failure).toMatchObject([{ code: "install_script_needed", file: "package-lock.json", line: 7 }])
    expect(JSON.stringify(failure)).toMatch(
      /node-sass 1\.0\.0 works only after its `install` script has run.*use `sass`/
    )
    expect(layers).toEqual([])
  })

  it("an optional one that needs its script is left out, with what stands below it", () =>
    run([{ name: "x", files: { "binding.gyp": "{}" } }, { name: "a" }], (_, [x, a]) =>
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
    run([{ name: "x" }, { name: "y" }], (_, [x]) =>
      Effect.gen(function* () {
        yield* layerOf(sourceWith({ "node_modules/x": entryOf(x!) }))
        const failure = yield* failureOf(layerOf(sourceWith({ "node_modules/y": entryOf(x!) })))
        expect(failure).toMatchObject([{ code: "package_not_as_locked", line: 7 }])
      })
    ))

  it("every package that is refused is told, in the order of the lock", () =>
    run(
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
    run([{ name: "a" }], (kit, [a]) =>
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
    run(
      [{ name: "big", files: Object.fromEntries(Array.from({ length: 700 }, (_, at) => [`${at}.js`, ""])) }],
      (_, [big]) =>
        Effect.gen(function* () {
          const places = Array.from({ length: 90 }, (_, at) => [`node_modules/a${at}/node_modules/big`, entryOf(big!)])
          const failure = yield* failureOf(layerOf(sourceWith(Object.fromEntries(places))))
          expect(failure).toMatchObject([{ code: "packages_over_limit" }])
          expect(JSON.stringify(failure)).toContain("big@1.0.0 (701)")
        })
    ))

  it("names of real login are refused before anything is asked for", () =>
    run([{ name: "bcryptjs" }], (kit, [bcrypt]) =>
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
