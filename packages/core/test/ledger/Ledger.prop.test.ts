import { ledgerModel } from "@pawl/testing/LedgerModel"
import { layerMemory } from "@pawl/core/ledger/MemoryLedger"

ledgerModel("memory", { layer: layerMemory }, 500)
