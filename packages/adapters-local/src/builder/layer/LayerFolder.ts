/** A layer as a folder of this machine, for the process of one build. */
import { readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"
import type { LayerManifest } from "../../packages/LayerManifest.ts"
import { layerManifestName } from "../../packages/LayerNames.ts"
import { layerTree, type LayerTree } from "./LayerTree.ts"

/** The bytes of one file of the layer; `undefined` when the disk has a link, or nothing, in its place. */
const read = (root: string, path: string): Uint8Array | undefined => {
  try {
    const place = join(root, path)
    return realpathSync.native(place) === place ? readFileSync(place) : undefined
  } catch {
    return undefined
  }
}

/** Opens a layer's folder. Throws when that has no list of its files, and what it reads throws `PackagesTooBig`. */
export const openLayer = (folder: string, maxBytes: number): LayerTree => {
  const root = realpathSync.native(folder)
  // The store wrote it last, and has looked at it: no schema is loaded for it into a process that serves one build.
  const manifest: LayerManifest = JSON.parse(readFileSync(join(root, layerManifestName), "utf8"))
  return layerTree(manifest, (path) => read(root, path), maxBytes)
}
