import { layerMemory } from "@pawl/adapters-memory/MemoryTemplates"
import { templatesContract } from "@pawl/testing/contracts/TemplatesContract"

templatesContract("memory", {
  layer: layerMemory({
    blank: { "index.html": "<p>Hello</p>" },
    react: { "index.html": "<p>Hello</p>", "package-lock.json": "{}" },
    shop: {
      "pawl.json": JSON.stringify({ checks: [{ id: "test", command: "node --test" }] }),
      "public/logo.png": { base64: "iVBORw0KGgo=" },
      "src/index.ts": "export default {}"
    }
  })
})
