/** A package store in a folder of its own, over a little registry that a test fills. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as FileObjectStore from "@pawl/adapters-local/objects/FileObjectStore"
import * as NpmPackageStore from "@pawl/adapters-local/packages/NpmPackageStore"
import { npmLockFile } from "@pawl/core/packages/NpmLock"
import type { PackageLock } from "@pawl/core/packages/PackageLock"
import {
  type ManifestFiles,
  PackagesRefused,
  PackageStore,
  type PackagesUnavailable
} from "@pawl/core/packages/PackageStore"
import { utf8 } from "@pawl/core/primitives/Digest"
import { integrityOf, packageEntries, tgzOf } from "@pawl/testing/registry/Archives"
import * as LittleRegistry from "@pawl/testing/registry/LittleRegistry"
import { Effect, Exit, Layer } from "effect"

/** A package as a test writes it. */
export interface Written {
  readonly name: string
  readonly version?: string
  readonly files?: Readonly<Record<string, string>>
  readonly manifest?: Readonly<Record<string, unknown>>
}

/** What a registry has of it. */
export const published = ({ files, manifest, name, version = "1.0.0" }: Written) => ({
  name,
  version,
  manifest: manifest ?? {},
  archive: tgzOf(packageEntries(name, version, files, manifest))
})

/** The entry of a lock for what a registry has. */
export const entryOf = ({ archive, version }: { readonly archive: Uint8Array; readonly version: string }) => ({
  version,
  integrity: integrityOf(archive)
})

/** package.json and package-lock.json with these entries, by place; the dependencies are the places at the root. */
export const sourceWith = (
  entries: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  manifest: Readonly<Record<string, unknown>> = {}
): ManifestFiles => {
  const own = { name: "app", ...manifest }
  const lock = { lockfileVersion: 3, packages: { "": own, ...entries } }
  return new Map([
    ["package.json", utf8(JSON.stringify(own))],
    [npmLockFile, utf8(JSON.stringify(lock, null, 2))]
  ])
}

/** A folder and a registry, for one test. */
export interface StoreKit {
  /** `<data>`: objects and packages lie in it. */
  readonly data: string
  readonly registry: LittleRegistry.LittleRegistry
  readonly layer: Layer.Layer<PackageStore, unknown>
  readonly close: () => Promise<void>
}

/** Opens the kit. */
export const openKit = async (...packages: ReadonlyArray<LittleRegistry.PublishedPackage>): Promise<StoreKit> => {
  const data = mkdtempSync(join(tmpdir(), "pawl-packages-"))
  const registry = await LittleRegistry.open(...packages)
  const layer = NpmPackageStore.layer({
    directory: join(data, "packages"),
    registry: new URL(registry.url),
    backoffMs: 1
  }).pipe(Layer.provide(FileObjectStore.layer({ directory: join(data, "objects"), alone: false })))
  return {
    data,
    registry,
    layer,
    close: async () => {
      await registry.close()
      rmSync(data, { recursive: true, force: true })
    }
  }
}

/** The lock that a source has. */
export const lockIn = (files: ManifestFiles): Effect.Effect<PackageLock, PackagesUnavailable, PackageStore> =>
  Effect.gen(function* () {
    const read = yield* (yield* PackageStore).read(files)
    if (read._tag !== "Locked") throw new Error(JSON.stringify(read))
    return read.lock
  })

/** The layer of a source. */
export const layerOf = (files: ManifestFiles) =>
  Effect.gen(function* () {
    const store = yield* PackageStore
    return yield* store.layer(yield* lockIn(files))
  })

/** Why no layer is made: the problems of a refusal, else the failure. */
export const failureOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) => {
    if (Exit.isSuccess(exit)) return "made"
    const failure = exit.cause.reasons.flatMap((each) => (each._tag === "Fail" ? [each.error] : []))[0]
    return failure instanceof PackagesRefused ? failure.problems : failure
  })

/** Works with a store whose registry has these packages. */
export const runInStore = async <A, E>(
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
