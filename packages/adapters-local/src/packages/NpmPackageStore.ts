/**
 * `PackageStore` of one npm registry. Archives are kept for good in the store of objects, by their digest; what they unpack
 * to is a cache in a folder of this machine. Fetching and unpacking is done by a process of its own, which is killed.
 */
import { existsSync, readFileSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { createHash } from "node:crypto"
import { join, resolve } from "node:path"
import { tooManyPackages } from "@pawl/core/packages/NpmLock"
import type { PackageLock } from "@pawl/core/packages/PackageLock"
import { type PackageLayer, PackagesRefused, PackageStore, PackagesUnavailable } from "@pawl/core/packages/PackageStore"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { canonicalJson, sha256 } from "@pawl/core/primitives/Digest"
import { Clock, Effect, Layer, Schedule, Semaphore } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import { installed } from "./InstallChild.ts"
import { LayerFolders } from "./LayerFolders.ts"
import * as ArboristLocks from "./locking/ArboristLocks.ts"
import * as RegistryClient from "./RegistryClient.ts"
import * as RegistryFacts from "./RegistryFacts.ts"
import { readSourceLock } from "./LockReader.ts"
import { digestName } from "./UnpackedFolder.ts"

/** Changes when equal locks are to be laid out in another way. */
const layout = 1

const unavailable = (reason: string) => new PackagesUnavailable({ reason })

const onDisk = <A>(work: () => Promise<A>): Effect.Effect<A, PackagesUnavailable> =>
  Effect.tryPromise({
    try: work,
    catch: (error) =>
      unavailable(`the disk says ${error instanceof Error && "code" in error ? String(error.code) : "no"}`)
  })

/** Where an archive is kept in the store of objects. */
const objectKey = (digest: string): string => `packages/${digest}.tgz`

/** What a layer is made of. Who needs its packages for what is none of it. */
const layerId = ({ direct, links, packages }: PackageLock): Effect.Effect<string> =>
  sha256(
    canonicalJson({
      layout,
      packages: packages.map(({ integrity, name, path, version }) => [path, name, version, integrity]),
      links: links.map(({ path, target }) => [path, target]),
      direct: direct.map(({ name }) => name)
    })
  )

/** Certificates that the operator adds for all of Node: a process of ours has nothing of our environment. */
const certificates = (): string => {
  const file = process.env["NODE_EXTRA_CA_CERTS"]
  return file === undefined || !existsSync(file) ? "" : readFileSync(file, "utf8")
}

/** How the store is made. */
export interface NpmPackageStoreOptions {
  /** `<data>/packages`; it is made when it is not there. */
  readonly directory: string
  /** By `registryAddress`. */
  readonly registry: URL
  /** The first wait between two tries of a fetch, in milliseconds. Default: that of `LocalLimits`. */
  readonly backoffMs?: number
}

const make = Effect.fnUntraced(function* ({
  backoffMs = LocalLimits.registryBackoffMs,
  directory,
  registry
}: NpmPackageStoreOptions) {
  const objects = yield* ObjectStore
  const folders = new LayerFolders(resolve(directory))
  yield* onDisk(async () => folders.open())
  const slots = yield* Semaphore.make(LocalLimits.installsAtOnce)
  const turns = new Map<string, { readonly turn: Semaphore.Semaphore; users: number }>()

  const kept = (digest: string) =>
    objects.head(objectKey(digest)).pipe(
      Effect.as(true),
      Effect.catchTag("ObjectMissing", () => Effect.succeed(false))
    )

  /** The digests of the archives that have to be fetched; those that are kept and not unpacked are put into `work`. */
  const prepared = Effect.fnUntraced(function* (lock: PackageLock, work: string) {
    const digests = [...new Set(lock.packages.map(({ integrity }) => digestName(integrity)))]
    const missing: Array<string> = []
    const one = Effect.fnUntraced(function* (digest: string) {
      if (!(yield* kept(digest))) return void missing.push(digest)
      if (folders.has(digest)) return
      const bytes = yield* objects.get(objectKey(digest))
      yield* onDisk(() => writeFile(join(work, `${digest}.tgz`), bytes))
    })
    yield* Effect.forEach(digests, one, { concurrency: LocalLimits.packageObjectsAtOnce, discard: true })
    return missing
  })

  /** Keeps an archive that was fetched. What is kept is what it is called by, whoever wrote the file. */
  const keep = Effect.fnUntraced(function* (work: string, digest: string) {
    const bytes = yield* onDisk(() => readFile(join(work, `${digest}.tgz`)))
    const [algorithm = "", hex] = digest.split("-")
    if (createHash(algorithm).update(bytes).digest("hex") !== hex)
      return yield* unavailable("an archive was changed on this machine")
    yield* objects.put(objectKey(digest), bytes)
  })

  const install = Effect.fn("NpmPackageStore.install")(function* (id: string, lock: PackageLock, work: string) {
    const missing = yield* prepared(lock, work)
    const { direct, file, links, packages } = lock
    yield* installed(
      {
        registry: registry.href,
        backoffMs,
        certificates: missing.length === 0 ? "" : certificates(),
        file,
        packages: packages.map(({ integrity, line, name, optional, path, version }) => ({
          path,
          name,
          version,
          integrity,
          optional,
          line
        })),
        links,
        direct: direct.map(({ name }) => name),
        boot: folders.boot,
        work,
        unpacked: folders.unpacked,
        missing
      },
      (digest) => keep(work, digest)
    )
    yield* onDisk(() => folders.publish(id, work))
  })

  const working = <A, E, R>(use: (work: string) => Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      onDisk(async () => folders.work()),
      use,
      (work) => Effect.ignore(onDisk(() => folders.remove(work)))
    )

  /** One at a time for each layer: who comes later finds it. */
  const alone = <A, E, R>(id: string, effect: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const held = turns.get(id) ?? { turn: Semaphore.makeUnsafe(1), users: 0 }
        held.users += 1
        turns.set(id, held)
        return held
      }),
      ({ turn }) => turn.withPermits(1)(effect),
      (held) =>
        Effect.sync(() => {
          held.users -= 1
          if (held.users === 0) turns.delete(id)
        })
    )

  const found = (id: string, lock: PackageLock) =>
    Effect.map(
      Effect.promise(() => folders.layer(id)),
      (packages): PackageLayer | null => {
        const dev = new Map(lock.packages.map((each) => [each.path, each.dev]))
        return packages === null
          ? null
          : { id, packages: packages.map((each) => ({ ...each, dev: dev.get(each.path) ?? false })) }
      }
    )

  const layer = Effect.fn("NpmPackageStore.layer")(
    function* (lock: PackageLock) {
      const problems = tooManyPackages(lock.file, lock.packages.length)
      if (problems.length > 0) return yield* new PackagesRefused({ problems })
      const id = yield* layerId(lock)
      const there = yield* found(id, lock)
      if (there !== null) return there
      return yield* alone(
        id,
        Effect.gen(function* () {
          const meanwhile = yield* found(id, lock)
          if (meanwhile !== null) return meanwhile
          yield* slots.withPermits(1)(working((work) => install(id, lock, work)))
          return (yield* found(id, lock)) ?? (yield* unavailable("a layer that was made is gone"))
        })
      )
    },
    Effect.catchTags({
      ObjectStoreUnavailable: ({ message }) => unavailable(message),
      ObjectMissing: ({ message }) => unavailable(message),
      InvalidKey: ({ message }) => unavailable(message)
    })
  )

  const client = yield* RegistryClient.make({ registry, backoffMs })
  const tidied = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    yield* onDisk(() => folders.sweep(nowMs))
    yield* onDisk(() => folders.trim(LocalLimits.packageCacheBytes, nowMs - LocalLimits.packageCacheKeptMs))
  }).pipe(Effect.ignore({ log: true }))
  yield* Effect.forkScoped(Effect.repeat(tidied, Schedule.spaced(LocalLimits.packageCacheLookMs)))

  return PackageStore.of({
    registry: registry.href,
    read: (files) => Effect.sync(() => readSourceLock(files)),
    layer,
    lock: yield* ArboristLocks.make(registry.href),
    facts: yield* RegistryFacts.make(client)
  })
})

/** Packages of a registry. */
export const layer = (options: NpmPackageStoreOptions): Layer.Layer<PackageStore, PackagesUnavailable, ObjectStore> =>
  Layer.effect(PackageStore, make(options))
