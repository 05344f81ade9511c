import { layerMemory } from "@pawl/core/access/Secrets"
import { secretsContract } from "@pawl/testing/SecretsContract"

secretsContract("memory", { layer: layerMemory })
