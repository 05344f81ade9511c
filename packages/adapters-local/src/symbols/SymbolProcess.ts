/** The process that reads code for its symbols: it takes order after order, until nobody is there any more. */
import type { SymbolOrder } from "./SymbolMessages.ts"
import { namedParts } from "./SymbolTree.ts"

process.once("disconnect", () => process.exit())
process.on("message", ({ files, order }: SymbolOrder) => {
  process.send?.({ order, parts: files.map(({ path, text }) => namedParts(path, text)) })
})
