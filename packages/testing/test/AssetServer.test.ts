import { layerMemory } from "@pawl/adapters-memory/MemoryAssetServer"
import { assetServerContract } from "@pawl/testing/contracts/apps/AssetServerContract"

const version = (id: string) => ({
  id,
  project: "p",
  channel: "production",
  bundleKey: `apps/p/${id}/bundle.json`,
  bundleDigest: "0".repeat(64)
})

assetServerContract("memory", {
  site: async (files) => ({
    layer: layerMemory(new Map([["v", new Map(Object.entries(files).map(([path, body]) => [`/${path}`, body]))]])),
    version: version("v"),
    missing: version("missing")
  })
})
