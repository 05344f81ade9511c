import { layerMemory } from "@pawl/core/release/TargetProbeClient"
import { targetProbeClientContract } from "@pawl/testing/contracts/release/TargetProbeClientContract"

targetProbeClientContract("memory", { layer: layerMemory, url: () => "https://shop.test" })
