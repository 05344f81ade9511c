import { layerMemory } from "@pawl/core/release/ProbeClient"
import { probeClientContract } from "@pawl/testing/ProbeClientContract"

probeClientContract("memory", { layer: layerMemory })
