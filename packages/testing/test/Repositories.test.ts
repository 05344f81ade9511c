import { layerMemory } from "@pawl/core/project/MemoryRepositories"
import { repositoriesContract } from "@pawl/testing/RepositoriesContract"

repositoriesContract("memory", { layer: () => layerMemory })
