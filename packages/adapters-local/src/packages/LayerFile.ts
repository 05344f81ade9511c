/** `layer.json` as the store writes it: what others read of a layer, and what the store needs to know it again. */
import { Schema } from "effect"
import { LayerManifest } from "./LayerManifest.ts"

/** `dev` of its packages is false: it depends on the lock, not on the layer. */
export const LayerFile = Schema.Struct({
  ...LayerManifest.fields,
  /** The start of the machine that the layer was made in: nothing of it was synced, so that a later one makes it anew. */
  boot: Schema.String,
  /** Of all files. */
  bytes: Schema.Finite
})
export interface LayerFile extends Schema.Schema.Type<typeof LayerFile> {}
