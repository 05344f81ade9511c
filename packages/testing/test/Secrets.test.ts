import { layerMemory } from "@pawl/adapters-memory/MemorySecrets"
import { secretsContract } from "@pawl/testing/contracts/SecretsContract"

secretsContract("memory", { layer: layerMemory })
