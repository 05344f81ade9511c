import { layerMemory } from "@pawl/core/release/ProbeClient"
import { probeClientContract } from "@pawl/testing/contracts/release/ProbeClientContract"

probeClientContract("memory", { layer: layerMemory })
