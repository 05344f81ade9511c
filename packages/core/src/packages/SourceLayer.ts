/** The packages of a source: from the files of a tree to the layer that its lock file names. */
import { Effect } from "effect"
import { manifestFiles } from "./LockFiles.ts"
import { graphOf } from "./PackageGraph.ts"
import { type PackageLayer, PackagesRefused, PackageStore, type PackagesUnavailable } from "./PackageStore.ts"

/** The files of a tree by path, of whatever else each of them has. */
type Files = ReadonlyMap<string, { readonly content: Uint8Array }>

/**
 * The layer of the lock file that stands in some files; null without a lock: the source then stands on its own files and
 * on what is vendored. Fails with `PackagesRefused`, whose problems name file and line, or `PackagesUnavailable`.
 */
export const layerOf = Effect.fnUntraced(function* (
  files: Files
): Effect.fn.Return<PackageLayer | null, PackagesRefused | PackagesUnavailable, PackageStore> {
  const store = yield* PackageStore
  const manifests = manifestFiles.flatMap((name) => {
    const file = files.get(name)
    return file === undefined ? [] : [[name, file.content] as const]
  })
  const read = yield* store.read(new Map(manifests))
  switch (read._tag) {
    case "None":
      return null
    case "Refused":
      return yield* new PackagesRefused({ problems: read.problems })
    case "Locked":
      return { ...(yield* store.layer(read.lock)), graph: graphOf(read.lock) }
  }
}, Effect.withSpan("Packages.layerOf"))
