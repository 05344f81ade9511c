/** The contract of repositories without git, in workerd: in memory, and as it is deployed, over an object's rows and R2. */
import { MemoryLedger, MemoryObjectStore } from "@pawl/adapters-memory"
import { repositoriesContract } from "@pawl/testing/contracts/repositories/RepositoriesContract"
import { Layer } from "effect"
import * as R2ObjectStore from "@pawl/adapters-cloudflare/objects/R2ObjectStore"
import { layer } from "@pawl/adapters-cloudflare/repositories/PackLogRepositories"
import { bound } from "../kit/Bound.ts"
import { insideObjects } from "../kit/Inside.ts"

const memory = Layer.merge(MemoryLedger.layerMemory, MemoryObjectStore.layerMemory)
repositoriesContract("packs without git, in workerd", { layer: () => Layer.provide(layer, memory) })

const { stores, within } = insideObjects("repositories")
repositoriesContract("packs in a Durable Object and R2", {
  within,
  layer: () => Layer.provide(layer, Layer.merge(stores, R2ObjectStore.layer(bound.BUCKET)))
})
