import { layerMemory } from "@pawl/core/release/BuildService"
import { buildServiceContract } from "@pawl/testing/BuildServiceContract"

buildServiceContract("memory", { layer: layerMemory })
