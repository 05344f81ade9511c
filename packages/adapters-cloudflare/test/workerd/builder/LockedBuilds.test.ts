/** Builds with the packages of a lock file: what they come to is what a machine makes of the same source, byte for byte. */
import { Effect, Layer } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { AppBuilder, type BuildResult } from "@pawl/core/bundle/AppBuilder"
import { layerOf } from "@pawl/core/packages/SourceLayer"
import { CloudflareLimits } from "@pawl/adapters-cloudflare/CloudflareLimits"
import type { BundlerModules } from "@pawl/adapters-cloudflare/builder/BundlerModules"
import { layer } from "@pawl/adapters-cloudflare/builder/LoaderAppBuilder"
import { buildJob, buildOnce } from "@pawl/testing/contracts/apps/AppBuilderContract"
import { resultText } from "../../builder/ResultText.ts"
import type { Published } from "../../packages/Published.ts"
import { bound, bundlerModules } from "../kit/Bound.ts"
import { lockedBy, openWorld, type PackageWorld, pnpmLockedBy } from "../kit/Packages.ts"

let modules: BundlerModules
beforeAll(async () => {
  modules = await bundlerModules(bound)
})

const many = Array.from({ length: 300 }, (_, at) => [
  `lib/m${at}.js`,
  `export const m${at} = "${"m".repeat(1000)}${at}"`
])

/** Ways in which packages are found, and files of them kept. */
const packages: ReadonlyArray<Published> = [
  {
    name: "left",
    version: "1.0.0",
    manifest: {
      type: "module",
      dependencies: { "@scope/right": "2.0.0", shared: "1.0.0" },
      exports: { ".": { workerd: "./worker.js", default: "./other.js" }, "./deep/*": "./lib/*.js" }
    },
    files: {
      "worker.js": `import right from "@scope/right"\nimport { shared } from "shared"\nexport const left = () => ["worker", right.where, shared]`,
      "other.js": `export const left = () => ["other"]`,
      "lib/inner.js": `export { default as page } from "./page.html"`,
      "lib/page.html": "<!doctype html><p>of a package</p>"
    }
  },
  {
    name: "@scope/right",
    version: "2.0.0",
    manifest: { main: "index.js", browser: { "./node.js": "./web.js" } },
    files: {
      "index.js": `exports.where = require("./node.js")`,
      "node.js": `module.exports = require("fs").readFileSync("/etc/passwd")`,
      "web.js": `module.exports = "web"`
    }
  },
  { name: "shared", version: "1.0.0", files: { "index.js": `exports.shared = "nested"` } },
  { name: "shared", version: "2.0.0", files: { "index.js": `exports.shared = "own"` } },
  {
    name: "settings",
    version: "1.0.0",
    files: { "base.json": `{ "compilerOptions": { "jsx": "react", "jsxFactory": "h" } }` }
  },
  {
    name: "large",
    version: "1.0.0",
    manifest: { type: "module", exports: { "./*": "./lib/*.js" } },
    files: Object.fromEntries(many)
  }
]

const places = {
  "node_modules/@scope/right": "2.0.0",
  "node_modules/large": "1.0.0",
  "node_modules/left": "1.0.0",
  "node_modules/left/node_modules/shared": "1.0.0",
  "node_modules/settings": "1.0.0",
  "node_modules/shared": "2.0.0"
}

const sources: Readonly<Record<string, string>> = {
  "wrangler.json": JSON.stringify({ main: "src/index.tsx", compatibility_date: "2026-01-01" }),
  "tsconfig.json": `{ "extends": "settings/base.json" }`,
  "src/index.tsx": [
    `import { left } from "left"`,
    `import { page } from "left/deep/inner"`,
    `import { shared } from "shared"`,
    `import { m7 } from "large/m7"`,
    `import { m299 } from "large/m299"`,
    "const h = (name: string) => name",
    "export default { fetch: () => new Response([<b />, ...left(), page, shared, m7, m299].join()) }"
  ].join("\n")
}

type Files = Readonly<Record<string, string>>

/** Fetches the packages of a source, and builds it. */
const built = (world: PackageWorld, files: Files) =>
  Effect.gen(function* () {
    const found = yield* layerOf(buildJob(files).files)
    if (found === null) throw new Error("the source has no lock")
    return { id: found.id, result: yield* buildOnce(buildJob(files, { packages: found })) }
  }).pipe(
    Effect.provide(
      Layer.merge(world.layer, layer({ loader: bound.LOADER, modules, commands: false, packages: world.bucket }))
    )
  )

const inWorld = async (more: ReadonlyArray<Published>, work: (world: PackageWorld) => Promise<void>) => {
  const world = await openWorld([...packages, ...more])
  try {
    await work(world)
  } finally {
    await world.stop()
  }
}

/** Builds a source, which comes to what this machine makes of it: the same layer, and each byte. */
const builtAsNative = async (world: PackageWorld, files: Files): Promise<BuildResult> => {
  const native = await world.native(files)
  const { id, result } = await Effect.runPromise(built(world, files))
  expect(id).toBe(native.id)
  expect(resultText(result)).toBe(native.text)
  return result
}

const codesOf = (result: BuildResult) =>
  result._tag === "Refused" ? result.problems.map(({ code }) => code) : result._tag

describe("A build with packages", () => {
  it("makes what a machine makes, byte for byte, of the same layer", () =>
    inWorld([], async (world) => {
      const files = { ...sources, ...lockedBy(world.registry, places) }
      expect(await builtAsNative(world, files)).toMatchObject({
        _tag: "Built",
        packages: ["@scope/right", "large", "left", "left/node_modules/shared", "shared"].map((name) => ({
          path: `node_modules/${name}`
        }))
      })
    }))

  it("makes what a machine makes, byte for byte, of a lock of pnpm, whose packages stand behind links", () =>
    inWorld([], async (world) => {
      const direct = { large: "1.0.0", left: "1.0.0", settings: "1.0.0", shared: "2.0.0" }
      const lock = pnpmLockedBy(world.registry, direct, {
        "@scope/right@2.0.0": {},
        "large@1.0.0": {},
        "left@1.0.0": { "@scope/right": "2.0.0", shared: "1.0.0" },
        "settings@1.0.0": {},
        "shared@1.0.0": {},
        "shared@2.0.0": {}
      })
      const files = { ...sources, ...lock }
      expect(await builtAsNative(world, files)).toMatchObject({
        _tag: "Built",
        packages: ["@scope/right 2.0.0", "large 1.0.0", "left 1.0.0", "shared 1.0.0", "shared 2.0.0"].map((each) => {
          const [name = "", version] = each.split(" ")
          return { path: `node_modules/.pnpm/${name.replace("/", "+")}@${version}/node_modules/${name}` }
        })
      })
    }))

  it("reads no lock of pnpm that is longer than a Worker has memory for, and says so", () =>
    inWorld([], async (world) => {
      const long = `# ${"x".repeat(CloudflareLimits.keptPnpmLockBytes)}`
      const files = buildJob({ "package.json": "{}", "pnpm-lock.yaml": long }).files
      const refused = await Effect.runPromise(Effect.flip(Effect.provide(layerOf(files), world.layer)))
      expect(refused).toMatchObject({ problems: [{ code: "lock_over_limit" }] })
    }))

  it("refuses what a machine refuses of them, by the same words", () =>
    inWorld([], async (world) => {
      const lock = lockedBy(world.registry, places)
      for (const main of [
        `import { nothing } from "left/none"\nexport default { fetch: () => new Response(nothing) }`,
        `import "unlocked"\nexport default {}`
      ]) {
        const files = { "src/index.js": main, ...lock }
        const { result } = await Effect.runPromise(built(world, files))
        expect([main, resultText(result)]).toEqual([main, (await world.native(files)).text])
        expect(result._tag).toBe("Refused")
      }
    }))

  it("reads no more of packages than its bound", () => {
    const half = `export default "${"x".repeat(CloudflareLimits.loaderPackageBytes / 2)}"`
    const heavy: Published = { name: "heavy", version: "1.0.0", files: { "a.js": half, "b.js": half } }
    return inWorld([heavy], async (world) => {
      const lock = lockedBy(world.registry, { "node_modules/heavy": "1.0.0" })
      const of = (names: ReadonlyArray<string>) => ({
        "src/index.js": `${names.map((name) => `import ${name} from "heavy/${name}.js"`).join("\n")}\nexport default { fetch: () => new Response(${names.join(" + ")}) }`,
        ...lock
      })
      expect(codesOf((await Effect.runPromise(built(world, of(["a"])))).result)).toBe("Built")
      expect(codesOf((await Effect.runPromise(built(world, of(["a", "b"])))).result)).toEqual(["packages_over_limit"])
    })
  })

  it("finds a package gone, says so, and is whole again once that was fetched anew", () =>
    inWorld([], async (world) => {
      const files = { ...sources, ...lockedBy(world.registry, places) }
      const before = await Effect.runPromise(built(world, files))
      const { objects } = await world.bucket.list({ prefix: "unpacked/", limit: 100 })
      const contents = objects.filter(({ key }) => !key.endsWith(".json")).map(({ key }) => key)
      expect(contents.length).toBe(6)
      await world.bucket.delete(contents)
      expect(await Effect.runPromise(Effect.flip(built(world, files)))).toMatchObject({ _tag: "BuilderUnavailable" })
      const asked = (await world.asked()).length
      const after = await Effect.runPromise(built(world, files))
      expect(resultText(after.result)).toBe(resultText(before.result))
      expect((await world.asked()).length).toBe(asked + 6)
      // Changed where it lies, it is no package any more either.
      await world.bucket.put(contents[0]!, new Uint8Array([1]))
      await world.bucket.put(contents[1]!, new Uint8Array([1]))
      const damaged = Effect.retry(built(world, files), { times: 3 })
      expect(resultText((await Effect.runPromise(damaged)).result)).toBe(resultText(before.result))
    }))

  it("has no packages where no bucket of them is bound, and says so", () =>
    inWorld([], async (world) => {
      const files = { ...sources, ...lockedBy(world.registry, places) }
      const found = await Effect.runPromise(Effect.provide(layerOf(buildJob(files).files), world.layer))
      const build = buildOnce(buildJob(files, found === null ? {} : { packages: found }))
      const without = Effect.provide(Effect.flip(build), layer({ loader: bound.LOADER, modules, commands: false }))
      expect(await Effect.runPromise(without)).toMatchObject({ _tag: "BuilderUnavailable" })
    }))

  it("runs no build command, for packages are not brought into containers", async () => {
    const pawl = JSON.stringify({ build: { command: "npm run build", output: "dist" } })
    const { files } = buildJob({ "pawl.json": pawl, "package.json": "{}", "package-lock.json": "{}" })
    const commandOf = Effect.flatMap(AppBuilder, (builder) => builder.commandOf(files))
    const here = layer({ loader: bound.LOADER, modules, commands: true })
    expect(await Effect.runPromise(Effect.provide(commandOf, here))).toMatchObject({
      _tag: "Refused",
      problems: [{ code: "build_command_unavailable", message: expect.stringContaining("no packages are brought") }]
    })
  })
})
