import { layerMemory } from "@pawl/core/access/Secrets"
import { secretsContract } from "@pawl/testing/contracts/SecretsContract"

secretsContract("memory", { layer: layerMemory })
