/** Packages of a lock on Cloudflare: fetched over HTTP from a registry of this machine, unpacked in a Worker, kept in R2. */
import { Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import { layerOf } from "@pawl/core/packages/SourceLayer"
import { PackagesRefused } from "@pawl/core/packages/PackageStore"
import { CloudflareLimits } from "@pawl/adapters-cloudflare/CloudflareLimits"
import { buildJob } from "@pawl/testing/contracts/apps/AppBuilderContract"
import { packageStoreContract, publishedAs } from "@pawl/testing/contracts/packages/PackageStoreContract"
import type { Published } from "../../packages/Published.ts"
import { lockedBy, openWorld, type PackageWorld } from "../kit/Packages.ts"

packageStoreContract(
  "RemotePackageStore",
  async (packages) => {
    const world = await openWorld(packages.map(publishedAs))
    return {
      layer: world.layer,
      stop: Effect.promise(world.stop),
      integrity: new Map(Object.entries(world.registry.integrity))
    }
  },
  "layers"
)

const a: Published = { name: "a", version: "1.0.0", files: { "index.js": "export default 1" } }
const b: Published = { name: "b", version: "1.0.0", files: { "index.js": "export default 2" } }

const layered = (world: PackageWorld, files: Readonly<Record<string, string>>) =>
  Effect.runPromise(Effect.exit(Effect.provide(layerOf(buildJob(files).files), world.layer)))

/** The one code by which a layer is refused. */
const refusal = async (world: PackageWorld, places: Readonly<Record<string, string>>) => {
  const exit = await layered(world, lockedBy(world.registry, places))
  const failure = Exit.isFailure(exit)
    ? exit.cause.reasons.flatMap((each) => (each._tag === "Fail" ? [each.error] : []))[0]
    : null
  return failure instanceof PackagesRefused ? failure.problems : failure
}

/** Works in a world with these packages. */
const inWorld = async (packages: ReadonlyArray<Published>, work: (world: PackageWorld) => Promise<void>) => {
  const world = await openWorld(packages)
  try {
    await work(world)
  } finally {
    await world.stop()
  }
}

describe("Packages in R2", () => {
  it("are refused when what the registry sends is not what the lock says, and nothing of it is kept", () =>
    inWorld([a, { ...b, isTampered: true }], async (world) => {
      const problems = await refusal(world, { "node_modules/a": "1.0.0", "node_modules/b": "1.0.0" })
      expect(problems).toMatchObject([{ code: "integrity_mismatch", file: "package-lock.json" }])
      const { objects } = await world.bucket.list({ prefix: "", limit: 100 })
      const layers = objects.filter(({ key }) => key.startsWith("layers/"))
      expect([objects.length, layers]).toEqual([2, []])
    }))

  it("are asked for on the registry's own host alone, wherever it leads", async () => {
    const places = { "node_modules/a": "1.0.0" }
    await inWorld([{ ...a, movedTo: "http://localhost:1/moved" }], async (world) =>
      expect(await refusal(world, places)).toMatchObject([
        { code: "package_address", message: expect.stringContaining("another host") }
      ])
    )
    await inWorld([{ ...a, movedTo: "/moved" }], async (world) => {
      expect(Exit.isSuccess(await layered(world, lockedBy(world.registry, places)))).toBe(true)
      expect(await world.asked()).toEqual(["/a/-/a-1.0.0.tgz", "/moved"])
    })
  })

  it("are bounded as they are sent, and as they unpack", () => {
    // Letters at random hardly pack; those of one kind pack to nothing.
    const noise = Array.from({ length: 160 }, () =>
      btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(60_000))))
    ).join("")
    const sent = { ...a, files: { "data.txt": noise } }
    const unpacked = { ...b, files: { "data.txt": "x".repeat(CloudflareLimits.keptPackageBytes) } }
    return inWorld([sent, unpacked], async (world) => {
      expect(await refusal(world, { "node_modules/a": "1.0.0" })).toMatchObject([{ code: "package_too_big" }])
      expect(await refusal(world, { "node_modules/b": "1.0.0" })).toMatchObject([
        { code: "package_too_big", message: expect.stringContaining(String(CloudflareLimits.keptPackageBytes)) }
      ])
    })
  })

  it("are refused by the words of a machine where an archive is hostile, and other packages are not touched", () =>
    inWorld([a, { ...b, files: { "../../evil.js": "1" } }], async (world) => {
      expect(await refusal(world, { "node_modules/b": "1.0.0" })).toMatchObject([
        { code: "package_unsafe", message: expect.stringContaining("leaves the package's folder") }
      ])
      expect(Exit.isSuccess(await layered(world, lockedBy(world.registry, { "node_modules/a": "1.0.0" })))).toBe(true)
    }))

  it("are fetched by several calls where there are many, and each once", () => {
    const count = CloudflareLimits.packagesPerCall + 5
    const many = Array.from({ length: count }, (_, at): Published => ({ name: `p${at}`, version: "1.0.0" }))
    return inWorld(many, async (world) => {
      const places = Object.fromEntries(many.map(({ name, version }) => [`node_modules/${name}`, version]))
      const exit = await layered(world, lockedBy(world.registry, places))
      expect(Exit.isSuccess(exit) && exit.value?.packages.length).toBe(count)
      const asked = await world.asked()
      expect([asked.length, new Set(asked).size]).toEqual([count, count])
    })
  })

  it("are taken from R2 where they are kept, and fetched again where they are gone", () =>
    inWorld([a, b], async (world) => {
      const files = lockedBy(world.registry, { "node_modules/a": "1.0.0", "node_modules/b": "1.0.0" })
      const first = await layered(world, files)
      expect((await world.asked()).length).toBe(2)
      expect(await layered(world, files)).toEqual(first)
      expect((await world.asked()).length).toBe(2)
      const { objects } = await world.bucket.list({ prefix: "layers/", limit: 10 })
      await world.bucket.delete(objects.map(({ key }) => key))
      expect(await layered(world, files)).toEqual(first)
      expect((await world.asked()).length).toBe(2)
      const all = await world.bucket.list({ prefix: "", limit: 10 })
      await world.bucket.delete(all.objects.map(({ key }) => key))
      expect(await layered(world, files)).toEqual(first)
      expect((await world.asked()).length).toBe(4)
    }))
})
