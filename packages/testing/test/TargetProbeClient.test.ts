import { layerMemory } from "@pawl/adapters-memory/MemoryTargetProbeClient"
import { targetProbeClientContract } from "@pawl/testing/contracts/release/TargetProbeClientContract"

targetProbeClientContract("memory", { layer: layerMemory, url: () => "https://shop.test" })
