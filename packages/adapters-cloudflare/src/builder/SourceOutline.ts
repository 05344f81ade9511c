/**
 * What is asked of the script that reads sources, and what of a source goes there. It stands beside what reads, which whoever
 * asks has nothing of.
 */
import type { BuildCommand, BuildJob } from "@pawl/core/bundle/AppBuilder"
import type { ManifestFiles, ReadLock } from "@pawl/core/packages/PackageStore"
import { packageFile } from "@pawl/core/project/PackageScripts"
import { settingsNames } from "@pawl/core/verification/Risk"

/** The paths of a source, and of its files those that say how it is built. */
export interface SourceOutline {
  readonly paths: ReadonlyArray<string>
  readonly told: ReadonlyMap<string, Uint8Array>
}

/** What may be asked of the script of builds. Nothing of it is kept there. */
export interface SourceCalls {
  readonly commandOf: (outline: SourceOutline) => Promise<BuildCommand>
  readonly assetsFolder: (
    settings: ReadonlyMap<string, Uint8Array>,
    folders: ReadonlySet<string>
  ) => Promise<string | null>
  readonly readLock: (files: ManifestFiles) => Promise<ReadLock>
}

/** By name: the files that are read of a source to know what has to run. */
const tellingNames = ["pawl.json", packageFile, ...settingsNames]

/** The outline of some files. */
export const outlineOf = (files: BuildJob["files"]): SourceOutline => ({
  paths: [...files.keys()],
  told: new Map(
    tellingNames.flatMap((name) => {
      const file = files.get(name)
      return file === undefined ? [] : [[name, file.content] as const]
    })
  )
})
