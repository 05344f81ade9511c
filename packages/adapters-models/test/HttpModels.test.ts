/** Models over HTTP keep the contract, in both wire forms. */
import { modelsContract } from "@pawl/testing/contracts/agents/ModelsContract"
import { calls, type Script, says } from "@pawl/testing/provider/Script"
import type { ModelBehaviour } from "@pawl/testing/contracts/agents/ModelsContract"
import { dialects } from "@pawl/adapters-models/ModelEndpoint"
import { openModels } from "./OpenModels.ts"

const usage = { input: 200, cacheRead: 1000, output: 30 }

const scripts: Readonly<Record<ModelBehaviour, Script>> = {
  "calls a tool": () => ({ ...calls("read", { path: "a.js" }), usage }),
  "says text": () => ({ ...says("done"), usage }),
  "is away": () => ({ _tag: "Responds", status: 500 }),
  refuses: () => ({ _tag: "Responds", status: 401 }),
  "is silent": () => ({ _tag: "Silent" })
}

for (const dialect of dialects)
  modelsContract(`HttpModels, ${dialect}`, {
    open: async (behaviour) => {
      const { layer, provider } = await openModels(dialect, scripts[behaviour])
      return { layer, asked: () => provider.asked().length }
    }
  })
