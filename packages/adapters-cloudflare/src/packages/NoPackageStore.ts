/** `PackageStore` where nothing keeps packages: a source with a lock file is refused in words. */
import { manifestFiles } from "@pawl/core/packages/LockFiles"
import {
  type PackageProblem,
  PackagesRefused,
  PackageStore,
  PackagesUnavailable
} from "@pawl/core/packages/PackageStore"
import { Effect, Layer } from "effect"

const problem = (file: string | null): PackageProblem => ({
  code: "packages_unavailable",
  message:
    "The packages of a lock file are not kept here. Take the lock file out of the source: what comes along with builds is there without one.",
  file,
  line: null
})

/** Refuses each lock file. */
export const layer: Layer.Layer<PackageStore> = Layer.succeed(PackageStore, {
  registry: "none",
  read: (files) =>
    Effect.sync(() => {
      const lock = manifestFiles.find((name) => name !== "package.json" && files.has(name))
      return lock === undefined ? { _tag: "None" } : { _tag: "Refused", problems: [problem(lock)] }
    }),
  layer: () => Effect.fail(new PackagesRefused({ problems: [problem(null)] })),
  lock: () => Effect.fail(new PackagesRefused({ problems: [problem(null)] })),
  facts: () => Effect.fail(new PackagesUnavailable({ reason: "nothing here asks a registry" }))
})
