import { layerMemory } from "@pawl/adapters-memory/MemoryProbeClient"
import { probeClientContract } from "@pawl/testing/contracts/release/ProbeClientContract"

probeClientContract("memory", { layer: layerMemory })
