/** `layer.json`, which stands beside the `node_modules` of a layer: what is in it, so that no folder has to be walked. */
import { LayeredPackage } from "@pawl/core/packages/PackageStore"
import { Schema } from "effect"

/** A link, as pnpm lays packages out. */
const Link = Schema.Struct({ path: Schema.String, target: Schema.String })

/**
 * All paths are below the layer's folder, plain (no `.`, no `..`), and begin with `node_modules/`. Lists are sorted by
 * path, so that equal layers have equal bytes.
 */
export const LayerManifest = Schema.Struct({
  packages: Schema.Array(LayeredPackage),
  /** Links to folders. What a link names stands in `files` under its real place alone. */
  links: Schema.Array(Link),
  /** Regular files. */
  files: Schema.Array(Schema.String)
})
export interface LayerManifest extends Schema.Schema.Type<typeof LayerManifest> {}
