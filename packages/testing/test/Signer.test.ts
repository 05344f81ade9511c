import { layerMemory } from "@pawl/adapters-memory/MemorySigner"
import { signerContract } from "@pawl/testing/contracts/provenance/SignerContract"

signerContract("memory", { layer: layerMemory, statement: "ecdsa-p256-sha256" })
