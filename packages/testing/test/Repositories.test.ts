import { layerMemory } from "@pawl/adapters-memory/MemoryRepositories"
import { repositoriesContract } from "@pawl/testing/contracts/repositories/RepositoriesContract"

repositoriesContract("memory", { layer: () => layerMemory })
