/**
 * `PackageStore` where packages are fetched by another script: each layer is made in an object there, which is asked over
 * RPC. Locks are read in that script too; none is made.
 */
import { layerFor, whole } from "@pawl/adapters-local/packages/LayerAnswer"
import { layerText } from "@pawl/core/packages/LayerText"
import { pnpmLockFile } from "@pawl/core/packages/LockFiles"
import { npmLockFile, tooManyPackages } from "@pawl/core/packages/NpmLock"
import type { PackageLock } from "@pawl/core/packages/PackageLock"
import { packageProblem } from "@pawl/core/packages/PackageProblems"
import { PackagesRefused, PackageStore, PackagesUnavailable } from "@pawl/core/packages/PackageStore"
import { sha256 } from "@pawl/core/primitives/Digest"
import { Effect, Layer } from "effect"
import type { SourceCalls } from "../builder/SourceOutline.ts"
import type { LayerCalls } from "./LayerObject.ts"

/** Where layers are made. */
export interface Options {
  /** The object of the layer of this id; a stub. */
  readonly layers: (id: string) => LayerCalls
  /** What reads locks; a stub. */
  readonly sources: Pick<SourceCalls, "readLock">
  /** The registry's URL, for sentences. */
  readonly registry: string
}

const lockFiles = [npmLockFile, pnpmLockFile]

const nowhere = { file: null, line: null }

const noLock = new PackagesRefused({
  problems: [
    packageProblem(
      "lock_unavailable",
      "No lock file is made here. Make it with `npm install --package-lock-only`, or `pnpm install --lockfile-only`, and commit it.",
      nowhere
    )
  ]
})

/** What cannot be asked may be asked again: an object that was moved, or whose script is new. */
const asked = <A>(call: () => Promise<A>): Effect.Effect<A, PackagesUnavailable> =>
  Effect.tryPromise({
    try: call,
    catch: (error) =>
      new PackagesUnavailable({ reason: error instanceof Error ? error.message : "what fetches packages is away" })
  })

const layerOf = Effect.fn("PackageStore.layer")(function* ({ layers }: Options, lock: PackageLock) {
  const problems = tooManyPackages(lock.file, lock.packages.length)
  if (problems.length > 0) return yield* new PackagesRefused({ problems })
  const id = yield* sha256(layerText(lock))
  for (;;) {
    const told = yield* asked(() => layers(id).layer(id, lock))
    switch (told._tag) {
      case "More":
        continue
      case "Refused":
        return yield* new PackagesRefused({ problems: told.problems })
      case "Away":
        return yield* new PackagesUnavailable({ reason: told.reason })
      case "Layer":
        return yield* whole(lock, layerFor(id, told.packages, lock))
    }
  }
})

/** Packages of objects of another script. */
export const layer = (options: Options): Layer.Layer<PackageStore> =>
  Layer.succeed(PackageStore, {
    registry: options.registry,
    // A source without a lock needs no reader.
    read: (files) =>
      lockFiles.some((name) => files.has(name))
        ? asked(() => options.sources.readLock(files))
        : Effect.succeed({ _tag: "None" }),
    layer: (lock) => layerOf(options, lock),
    lock: () => Effect.fail(noLock),
    facts: () =>
      Effect.fail(new PackagesUnavailable({ reason: "nothing here asks the registry what it says of versions" }))
  })
