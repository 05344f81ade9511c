import { layerMemory } from "@pawl/core/ledger/MemoryLedger"
import { eventDeliveries } from "@pawl/testing/EventDeliveries"

eventDeliveries("memory", { layer: layerMemory }, 10_000)
