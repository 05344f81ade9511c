/** A world of packages for one test: a registry on this machine, objects that make layers, and a part of the bucket. */
import { sourceAnswers } from "@pawl/adapters-cloudflare/builder/SourceAnswers"
import type { Bucket, BucketEntry } from "@pawl/adapters-cloudflare/objects/Bucket"
import { layer } from "@pawl/adapters-cloudflare/packages/RemotePackageStore"
import type { PackageStore } from "@pawl/core/packages/PackageStore"
import { pnpmLockFile } from "@pawl/core/packages/LockFiles"
import { npmLockFile } from "@pawl/core/packages/NpmLock"
import { pnpmLockText, type PnpmLockParts } from "@pawl/testing/registry/PnpmLockText"
import type { Layer } from "effect"
import type { NativeBuild, Published, Registry } from "../../packages/Published.ts"
import { bound } from "./Bound.ts"

/** The part of a bucket that is a world's own. */
export const worldBucket = (bucket: Bucket, world: string): Bucket => {
  const inside = (key: string) => `${world}/${key}`
  const plain = <A extends BucketEntry>(entry: A): A => ({ ...entry, key: entry.key.slice(world.length + 1) })
  return {
    head: (key) => bucket.head(inside(key)),
    get: (key, options) => bucket.get(inside(key), options),
    put: (key, body, options) => bucket.put(inside(key), body, options),
    delete: (keys) => bucket.delete(typeof keys === "string" ? inside(keys) : keys.map(inside)),
    list: async (options) => {
      const page = await bucket.list({ ...options, prefix: inside(options.prefix) })
      return {
        ...page,
        objects: page.objects.map((each) => plain({ key: each.key, size: each.size, uploaded: each.uploaded }))
      }
    }
  }
}

/** The name of the object of a layer, which says its world and its registry. */
const layersName = (world: string, registry: string, id: string): string => [world, registry, id].join(" ")

/** What such a name says. */
export const layersWorld = (name: string): { readonly world: string; readonly registry: string } => {
  const [world = "", registry = ""] = name.split(" ")
  return { world, registry }
}

const machine = async <A>(path: string, body: unknown = ""): Promise<A> => {
  const sent = typeof body === "string" ? body : JSON.stringify(body)
  const answer = await bound.MACHINE.fetch(`http://machine/${path}`, { method: "POST", body: sent })
  return (await answer.json()) as A
}

/** A world. */
export interface PackageWorld {
  readonly registry: Registry
  readonly bucket: Bucket
  readonly layer: Layer.Layer<PackageStore>
  /** The paths that the registry was asked for so far. */
  readonly asked: () => Promise<ReadonlyArray<string>>
  /** Takes the registry away for good. */
  readonly stop: () => Promise<void>
  /** What this machine makes of a source, with packages of this registry. */
  readonly native: (files: Readonly<Record<string, string>>) => Promise<NativeBuild>
}

/** Opens one with these packages. */
export const openWorld = async (packages: ReadonlyArray<Published>): Promise<PackageWorld> => {
  const registry = await machine<Registry>("registry", packages)
  const world = crypto.randomUUID()
  return {
    registry,
    bucket: worldBucket(bound.PACKAGES, world),
    layer: layer({
      layers: (id) => bound.LAYERS.getByName(layersName(world, registry.url, id)),
      sources: sourceAnswers(true),
      registry: registry.url
    }),
    asked: () => machine(`asked/${registry.number}`),
    stop: () => machine(`stop/${registry.number}`),
    native: (files) => machine("locked", { registry: registry.url, files })
  }
}

/** package.json and package-lock.json of packages of a registry, by place; those at the root are depended on. */
export const lockedBy = (
  { integrity }: Registry,
  places: Readonly<Record<string, string>>
): Readonly<Record<string, string>> => {
  const nameAt = (place: string) => place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length)
  const own = Object.entries(places).filter(([place]) => place === `node_modules/${nameAt(place)}`)
  const manifest = {
    name: "app",
    dependencies: Object.fromEntries(own.map(([place, version]) => [nameAt(place), version]))
  }
  const entries = Object.entries(places).map(([place, version]) => [
    place,
    { version, integrity: integrity[`${nameAt(place)}@${version}`] }
  ])
  return {
    "package.json": JSON.stringify(manifest),
    [npmLockFile]: JSON.stringify(
      { lockfileVersion: 3, packages: { "": manifest, ...Object.fromEntries(entries) } },
      null,
      1
    )
  }
}

/** package.json and pnpm-lock.yaml of packages of a registry; `direct` are depended on. */
export const pnpmLockedBy = (
  { integrity }: Registry,
  direct: Readonly<Record<string, string>>,
  packages: PnpmLockParts["packages"]
): Readonly<Record<string, string>> => ({
  "package.json": JSON.stringify({ name: "app", dependencies: direct }),
  [pnpmLockFile]: pnpmLockText({
    direct: Object.fromEntries(
      Object.entries(direct).map(([name, version]) => [name, { specifier: version, version }])
    ),
    packages,
    integrityOf: (key) => integrity[key] ?? ""
  })
})
