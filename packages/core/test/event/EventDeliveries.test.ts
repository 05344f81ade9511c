import { layerMemory } from "@pawl/adapters-memory/MemoryLedger"
import { eventDeliveries } from "@pawl/testing/tools/EventDeliveries"

eventDeliveries("memory", { layer: layerMemory }, 10_000)
