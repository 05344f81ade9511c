/** The contract of what serves an app's files, in workerd, over bundles in R2: what `env.ASSETS` asks. */
import * as Assets from "@pawl/router/Assets"
import { assetServerContract } from "@pawl/testing/contracts/apps/AssetServerContract"
import { Layer } from "effect"
import * as R2ObjectStore from "../../../src/objects/R2ObjectStore.ts"
import { bound } from "../kit/Bound.ts"
import { install } from "../kit/InstalledApp.ts"

let worlds = 0

assetServerContract("bundles in R2", {
  site: async (files) => {
    const version = await install("export default {}", "files", worlds++, { files })
    return {
      layer: Layer.provide(Assets.layer, R2ObjectStore.layer(bound.BUCKET)),
      version,
      missing: { ...version, id: "missing", bundleKey: "apps/none/bundle.json", bundleDigest: "0".repeat(64) }
    }
  }
})
