import { layerMemory } from "@pawl/adapters-memory/MemorySignedHeads"
import { signedHeadsContract } from "@pawl/testing/contracts/provenance/SignedHeadsContract"

signedHeadsContract("memory", { layer: () => layerMemory })
