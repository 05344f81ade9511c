import { MemoryLedger, MemoryObjectStore } from "@pawl/adapters-memory"
import { repositoriesContract } from "@pawl/testing/contracts/repositories/RepositoriesContract"
import { Layer } from "effect"
import { layer } from "@pawl/adapters-cloudflare/repositories/PackLogRepositories"

const stores = Layer.merge(MemoryLedger.layerMemory, MemoryObjectStore.layerMemory)

repositoriesContract("packs without git", { layer: () => Layer.provide(layer, stores) })
