/** What a build needs of where it runs: esbuild, in whichever form runs there, and the files of packages. */
import type { build } from "esbuild"
import type { LayerTree } from "../layer/LayerTree.ts"
import type { VendoredTree } from "../vendored/VendoredTree.ts"
import type { BundlerOrder } from "./BundlerMessages.ts"

/** The parts that differ between a process of Node and a Worker. */
export interface BundlerTools {
  readonly build: typeof build
  /** Lets go of what the bundler holds. When it is needed once more, it starts anew. */
  readonly stop: () => Promise<void>
  readonly vendored: VendoredTree
  /** The packages that an order's lock file names. */
  readonly openLayer: (layer: string, order: BundlerOrder) => LayerTree
}
