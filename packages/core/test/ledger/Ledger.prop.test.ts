import { ledgerModel } from "@pawl/testing/tools/LedgerModel"
import { layerMemory } from "@pawl/adapters-memory/MemoryLedger"

ledgerModel("memory", { layer: layerMemory }, 500)
