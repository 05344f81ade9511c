import { layerMemory } from "@pawl/core/objects/MemoryObjectStore"
import { objectStoreContract } from "@pawl/testing/ObjectStoreContract"

objectStoreContract("memory", { layer: () => layerMemory })
