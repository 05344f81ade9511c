import { layerMemory } from "@pawl/adapters-memory/MemoryBuildService"
import { buildServiceContract } from "@pawl/testing/contracts/release/BuildServiceContract"

buildServiceContract("memory", { layer: layerMemory })
