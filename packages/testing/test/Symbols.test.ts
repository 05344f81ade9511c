import { layerMemory } from "@pawl/adapters-memory/MemorySymbols"
import { symbolsContract } from "@pawl/testing/contracts/agents/SymbolsContract"

symbolsContract("MemorySymbols", { layer: layerMemory })
