/** Names in the folder of a layer. */

/** The list of what is in a layer (`LayerManifest`). It is written last: a layer without it is not whole. */
export const layerManifestName = "layer.json"
