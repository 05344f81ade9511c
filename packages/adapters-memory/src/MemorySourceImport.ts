/** `SourceImport` in memory. */
import type { FileEdits } from "@pawl/core/project/Repositories"
import {
  type ImportFault,
  ImportRefused,
  judgedOrigin,
  SourceImport,
  type SourceImportShape
} from "@pawl/core/project/SourceImport"
import { Effect, Layer } from "effect"

/** Repositories in memory. The caller may change them. */
export interface MemoryOrigins {
  /** The files of each branch, by URL and name; the first branch is the one that is shown. */
  readonly repositories: Map<string, ReadonlyMap<string, FileEdits>>
  /** What every import fails with, while it is set. */
  fault: ImportFault | null
}

/** Takes what stands in `origins`, from these hosts. */
export const layerMemory = (origins: MemoryOrigins, hosts: ReadonlyArray<string>): Layer.Layer<never> =>
  Layer.succeed(SourceImport, {
    files: (origin) =>
      Effect.gen(function* () {
        const judged = judgedOrigin(origin, hosts)
        if (judged instanceof ImportRefused) return yield* judged
        if (origins.fault !== null) return yield* origins.fault
        const branches = origins.repositories.get(judged.url)
        if (branches === undefined)
          return yield* new ImportRefused({ reason: "there is no such repository that anyone may read" })
        const files = origin.ref === undefined ? [...branches.values()][0] : branches.get(origin.ref)
        if (files === undefined)
          return yield* new ImportRefused({ reason: `the repository has no branch or tag ${origin.ref ?? ""}`.trim() })
        return files
      })
  } satisfies SourceImportShape)
