import { layerMemory } from "@pawl/core/app/MemoryAppBuilder"
import { appBuilderContract } from "@pawl/testing/AppBuilderContract"

appBuilderContract("MemoryAppBuilder", { layer: layerMemory })
