/** A layer that is there, as the lock has it that it was asked for with. */
import type { PackageLock } from "@pawl/core/packages/PackageLock"
import { packageProblem, packageProblems } from "@pawl/core/packages/PackageProblems"
import { type LayeredPackage, type PackageLayer, PackagesRefused } from "@pawl/core/packages/PackageStore"
import { Effect } from "effect"
import { isFetcher, scriptNeeded } from "./InstallScripts.ts"

/** `packages` as a layer was laid out with, of which only building needs what the lock says. */
export const layerFor = (id: string, packages: ReadonlyArray<LayeredPackage>, lock: PackageLock): PackageLayer => {
  const dev = new Map(lock.packages.map((each) => [each.path, each.dev]))
  return { id, packages: packages.map((each) => ({ ...each, dev: dev.get(each.path) ?? false })) }
}

/** The layer, unless the app itself needs a package that is nothing before its script has fetched the rest of it. */
export const whole = (lock: PackageLock, there: PackageLayer): Effect.Effect<PackageLayer, PackagesRefused> => {
  const locked = new Map(lock.packages.map((each) => [each.path, each]))
  const problems = there.packages.flatMap(({ dev, name, path, scripts, version }) => {
    const { line = null, optional = false } = locked.get(path) ?? {}
    if (dev || optional || !isFetcher(name, scripts)) return []
    const spot = { file: lock.file, line }
    return [packageProblem("install_script_needed", scriptNeeded(name, version, scripts), spot)]
  })
  return problems.length === 0
    ? Effect.succeed(there)
    : Effect.fail(new PackagesRefused({ problems: packageProblems(problems) }))
}
