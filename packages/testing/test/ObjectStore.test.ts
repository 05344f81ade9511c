import { layerMemory } from "@pawl/adapters-memory/MemoryObjectStore"
import { objectStoreContract } from "@pawl/testing/contracts/stores/ObjectStoreContract"

objectStoreContract("memory", { layer: () => layerMemory })
