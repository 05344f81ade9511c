import * as MemorySyntax from "@pawl/adapters-memory/MemorySyntax"
import { syntaxContract } from "@pawl/testing/contracts/agents/SyntaxContract"
import { Layer } from "effect"

syntaxContract("what is there without a parser", { layer: Layer.empty, code: false })
syntaxContract("in memory", { layer: MemorySyntax.layerMemory, code: true })
