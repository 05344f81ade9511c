import { storeContracts } from "@pawl/testing/contracts/stores/StoreContracts"
import { layerMemory } from "@pawl/adapters-memory/MemoryLedger"

storeContracts("memory", { layer: layerMemory })
