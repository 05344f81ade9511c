/** The work of a build with this machine's esbuild, and packages that lie in folders. */
import { build, stop } from "esbuild"
import { openLayer } from "../layer/LayerFolder.ts"
import { vendoredFiles } from "../vendored/VendoredFiles.ts"
import { makeWork } from "./BundlerWork.ts"

/** Begins on a foreseen order, and does one. */
export const { begin, finish } = makeWork({
  build,
  stop,
  vendored: vendoredFiles(),
  openLayer: (folder, { packageBytes }) => openLayer(folder, packageBytes)
})
