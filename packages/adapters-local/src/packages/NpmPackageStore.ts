/**
 * `PackageStore` of one npm registry. Archives are kept for good in the store of objects, by their digest; what they unpack
 * to is a cache in a folder of this machine. Fetching and unpacking is done by a process of its own, which is killed.
 */
import { createHash } from "node:crypto"
import { resolve } from "node:path"
import { layerText } from "@pawl/core/packages/LayerText"
import { tooManyPackages } from "@pawl/core/packages/NpmLock"
import type { PackageLock } from "@pawl/core/packages/PackageLock"
import { type PackageLayer, PackagesRefused, PackageStore, PackagesUnavailable } from "@pawl/core/packages/PackageStore"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { makeTurns } from "@pawl/core/primitives/KeyedTurns"
import { Clock, Effect, Layer, Schedule, Semaphore } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import * as HttpRegistryClient from "./HttpRegistryClient.ts"
import { once, remembering } from "./KnownLocks.ts"
import { layerFor, whole } from "./LayerAnswer.ts"
import { LayerFolders } from "./LayerFolders.ts"
import { install, onDisk } from "./LayerInstall.ts"
import * as LockMaker from "./locking/LockMaker.ts"
import { readSourceLock } from "./LockReader.ts"
import * as RegistryFacts from "./RegistryFacts.ts"

const unavailable = (reason: string) => new PackagesUnavailable({ reason })

const layerId = once((lock: PackageLock): string => createHash("sha256").update(layerText(lock)).digest("hex"))

/** How the store is made. */
export interface NpmPackageStoreOptions {
  /** `<data>/packages`; it is made when it is not there. */
  readonly directory: string
  /** By `registryAddress`. */
  readonly registry: URL
  /** The first wait between two tries of a fetch, in milliseconds. Default: that of `LocalLimits`. */
  readonly backoffMs?: number
}

/** The layer of a lock that is there; null when there is none. */
const found = (folders: LayerFolders, id: string, lock: PackageLock): Effect.Effect<PackageLayer | null> =>
  Effect.map(
    Effect.promise(() => folders.layer(id)),
    (packages) => (packages === null ? null : layerFor(id, packages, lock))
  )

/** `PackageStore.layer`. */
const layersOf = Effect.fnUntraced(function* (
  folders: LayerFolders,
  installing: (id: string, lock: PackageLock) => Effect.Effect<void, PackagesRefused | PackagesUnavailable>
) {
  const slots = yield* Semaphore.make(LocalLimits.installsAtOnce)
  const alone = makeTurns()
  return Effect.fn("NpmPackageStore.layer")(function* (lock: PackageLock) {
    const problems = tooManyPackages(lock.file, lock.packages.length)
    if (problems.length > 0) return yield* new PackagesRefused({ problems })
    const id = layerId(lock)
    const there = yield* found(folders, id, lock)
    if (there !== null) return yield* whole(lock, there)
    const made = yield* alone(
      id,
      Effect.gen(function* () {
        const meanwhile = yield* found(folders, id, lock)
        if (meanwhile !== null) return meanwhile
        yield* slots.withPermits(1)(installing(id, lock))
        return (yield* found(folders, id, lock)) ?? (yield* unavailable("a layer that was made is gone"))
      })
    )
    return yield* whole(lock, made)
  })
})

const make = Effect.fnUntraced(function* ({
  backoffMs = LocalLimits.registryBackoffMs,
  directory,
  registry
}: NpmPackageStoreOptions) {
  const objects = yield* ObjectStore
  const folders = new LayerFolders(resolve(directory))
  yield* onDisk(async () => folders.open())
  const read = remembering(readSourceLock)
  const client = yield* HttpRegistryClient.make({ registry, backoffMs })
  const tidied = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    yield* onDisk(() => folders.sweep(nowMs))
    yield* onDisk(() => folders.trim(LocalLimits.packageCacheBytes, nowMs - LocalLimits.packageCacheKeptMs))
  }).pipe(Effect.ignore({ log: true }))
  yield* Effect.forkScoped(Effect.repeat(tidied, Schedule.spaced(LocalLimits.packageCacheLookMs)))

  return PackageStore.of({
    registry: registry.href,
    read: (files) => Effect.sync(() => read(files)),
    layer: yield* layersOf(folders, (id, lock) => install({ objects, folders, registry, backoffMs }, id, lock)),
    lock: yield* LockMaker.make(registry.href),
    facts: yield* RegistryFacts.make(client)
  })
})

/** Packages of a registry. */
export const layer = (options: NpmPackageStoreOptions): Layer.Layer<PackageStore, PackagesUnavailable, ObjectStore> =>
  Layer.effect(PackageStore, make(options))
