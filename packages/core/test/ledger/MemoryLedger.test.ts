import { storeContracts } from "@pawl/testing/StoreContracts"
import { layerMemory } from "@pawl/core/ledger/MemoryLedger"

storeContracts("memory", { layer: layerMemory })
