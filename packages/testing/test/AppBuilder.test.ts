import { layerMemory } from "@pawl/adapters-memory/MemoryAppBuilder"
import { appBuilderContract } from "@pawl/testing/contracts/apps/AppBuilderContract"

appBuilderContract("MemoryAppBuilder", { layer: layerMemory })
