/** The process that reads code for its symbols: it takes order after order, until nobody is there any more. */
import type { SymbolOrder } from "./SymbolMessages.ts"
import { syntaxError } from "../builder/auth/SyntaxTree.ts"
import { namedParts } from "./SymbolTree.ts"

process.once("disconnect", () => process.exit())
process.on("message", ({ files, order, wanted }: SymbolOrder) => {
  const parts = wanted === "parts" ? files.map(({ path, text }) => namedParts(path, text)) : []
  const problems = wanted === "problems" ? files.map(({ path, text }) => syntaxError(path, text)) : []
  process.send?.({ order, parts, problems })
})
