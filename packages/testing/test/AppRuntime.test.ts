import { type AppHandler, layerMemory } from "@pawl/adapters-memory/MemoryAppRuntime"
import { appRuntimeContract } from "../src/contracts/apps/AppRuntimeContract.ts"

appRuntimeContract("the memory layer", async () => {
  const apps = new Map<string, () => AppHandler>()
  return {
    layer: layerMemory(apps),
    install: async (app, id) => {
      apps.set(id, app.make)
      return {
        id,
        project: "p",
        channel: "production",
        bundleKey: `apps/p/${id}/bundle.json`,
        bundleDigest: "0".repeat(64)
      }
    }
  }
})
