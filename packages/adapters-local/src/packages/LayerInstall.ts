/** Makes one layer: what is kept is taken, the rest is fetched and kept, and a process of its own lays it out. */
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { ObjectStore } from "@pawl/core/objects/ObjectStore"
import type { PackageLock } from "@pawl/core/packages/PackageLock"
import { PackagesUnavailable } from "@pawl/core/packages/PackageStore"
import { Effect } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import { installed } from "./InstallChild.ts"
import type { LayerFolders } from "./LayerFolders.ts"
import { digestName } from "./UnpackedFacts.ts"

const unavailable = (reason: string) => new PackagesUnavailable({ reason })

/** Work on files. What the disk says is told by its code: its message would name folders of this machine. */
export const onDisk = <A>(work: () => Promise<A>): Effect.Effect<A, PackagesUnavailable> =>
  Effect.tryPromise({
    try: work,
    catch: (error) =>
      unavailable(`the disk says ${error instanceof Error && "code" in error ? String(error.code) : "no"}`)
  })

/** Where an archive is kept in the store of objects. */
const objectKey = (digest: string): string => `packages/${digest}.tgz`

/** Certificates that the operator adds for all of Node: a process of ours has nothing of our environment. */
const certificates = (): string => {
  const file = process.env["NODE_EXTRA_CA_CERTS"]
  return file === undefined || !existsSync(file) ? "" : readFileSync(file, "utf8")
}

/** Where archives come from, and where they and layers go. */
export interface Installing {
  readonly objects: typeof ObjectStore.Service
  readonly folders: LayerFolders
  readonly registry: URL
  readonly backoffMs: number
}

/** The digests of the archives that have to be fetched; those that are kept and not unpacked are put into `work`. */
const prepared = Effect.fnUntraced(function* ({ folders, objects }: Installing, lock: PackageLock, work: string) {
  const digests = [...new Set(lock.packages.map(({ integrity }) => digestName(integrity)))]
  const missing: Array<string> = []
  const one = Effect.fnUntraced(function* (digest: string) {
    const isKept = yield* objects.head(objectKey(digest)).pipe(
      Effect.as(true),
      Effect.catchTag("ObjectMissing", () => Effect.succeed(false))
    )
    if (!isKept) return void missing.push(digest)
    if (folders.has(digest)) return
    const bytes = yield* objects.get(objectKey(digest))
    yield* onDisk(() => writeFile(join(work, `${digest}.tgz`), bytes))
  })
  yield* Effect.forEach(digests, one, { concurrency: LocalLimits.packageObjectsAtOnce, discard: true })
  return missing
})

/** Keeps an archive that was fetched. What is kept is what it is called by, whoever wrote the file. */
const keep = Effect.fnUntraced(function* ({ objects }: Installing, work: string, digest: string) {
  const bytes = yield* onDisk(() => readFile(join(work, `${digest}.tgz`)))
  const [algorithm = "", hex] = digest.split("-")
  if (createHash(algorithm).update(bytes).digest("hex") !== hex)
    return yield* unavailable("an archive was changed on this machine")
  yield* objects.put(objectKey(digest), bytes)
})

const laidOut = Effect.fnUntraced(function* (installing: Installing, id: string, lock: PackageLock, work: string) {
  const { backoffMs, folders, registry } = installing
  const missing = yield* prepared(installing, lock, work)
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
    (digest) => keep(installing, work, digest)
  )
  yield* onDisk(() => folders.publish(id, work))
})

/** Makes the layer of a lock under this id. Whatever becomes of it, no process and no folder of the work stays. */
export const install = Effect.fn("NpmPackageStore.install")(
  (installing: Installing, id: string, lock: PackageLock) =>
    Effect.acquireUseRelease(
      onDisk(async () => installing.folders.work()),
      (work) => laidOut(installing, id, lock, work),
      (work) => Effect.ignore(onDisk(() => installing.folders.remove(work)))
    ),
  Effect.catchTags({
    ObjectStoreUnavailable: ({ message }) => unavailable(message),
    ObjectMissing: ({ message }) => unavailable(message),
    InvalidKey: ({ message }) => unavailable(message)
  })
)
