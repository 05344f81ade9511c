import { layerMemory } from "@pawl/core/release/TargetProbeClient"
import { targetProbeClientContract } from "@pawl/testing/TargetProbeClientContract"

targetProbeClientContract("memory", { layer: layerMemory, url: () => "https://shop.test" })
