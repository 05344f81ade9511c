import { layerMemory } from "@pawl/core/release/BuildService"
import { buildServiceContract } from "@pawl/testing/contracts/release/BuildServiceContract"

buildServiceContract("memory", { layer: layerMemory })
