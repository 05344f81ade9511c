import { createHash } from "node:crypto"
import { accessSync, constants, existsSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { cacheFolders } from "@pawl/adapters-local/packages/CacheFolders"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { layersFolder } from "@pawl/adapters-local/packages/LayerFolders"
import { PackagesUnavailable } from "@pawl/core/packages/PackageStore"
import { packageStoreContract, publishedAs } from "@pawl/testing/contracts/packages/PackageStoreContract"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { childrenOf, commandOf } from "../Processes.ts"
import { entryOf, failureOf, layerOf, openKit, published, runInStore, sourceWith, type StoreKit } from "./StoreKit.ts"

packageStoreContract("npm", async (packages) => {
  const all = packages.map((each) => published(publishedAs(each)))
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

const nodeModules = ({ data }: StoreKit, { id }: { readonly id: string }, ...path: ReadonlyArray<string>): string =>
  join(layersFolder(data), id, "node_modules", ...path)

/** The processes of installations that this one has started. */
const installing = (): ReadonlyArray<number> =>
  childrenOf(process.pid).filter((pid) => commandOf(pid).includes("InstallProcess"))

describe("A layer", () => {
  it("has files for reading alone, programs that may be run, empty folders for caches, and no script was run", () =>
    runInStore(
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
          expect(statSync(at("a/lib/index.js")).mode & 0o777).toBe(0o644)
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
    runInStore(
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
    runInStore(
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
    runInStore(
      [{ name: "a", files: { "index.js": "1" }, manifest: { bin: "index.js" } }, { name: "b" }],
      (kit, [a, b]) =>
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
    runInStore([{ name: "a" }, { name: "b" }], (kit, [a, b]) =>
      Effect.gen(function* () {
        yield* layerOf(sourceWith({ "node_modules/a": entryOf(a!) }))
        yield* layerOf(sourceWith({ "node_modules/a": entryOf(a!), "node_modules/b": entryOf(b!) }))
        yield* layerOf(sourceWith({ "node_modules/b": entryOf(b!), "node_modules/b/node_modules/a": entryOf(a!) }))
        expect(kit.registry.asked().map(({ path }) => path)).toEqual(["/a/-/a-1.0.0.tgz", "/b/-/b-1.0.0.tgz"])
      })
    ))

  it("is whole when two servers on one folder make it at once", () =>
    runInStore([{ name: "a", files: { "index.js": "1" } }], (kit, [a]) =>
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
    runInStore([{ name: "a" }, { name: "b" }], (kit, [a, b]) =>
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
    runInStore([{ name: "a" }], (kit, [a]) =>
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
    runInStore([{ name: "a" }], (kit, [a]) =>
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
    runInStore([{ name: "a" }], (kit, [a]) =>
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
