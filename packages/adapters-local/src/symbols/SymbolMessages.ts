/** What is sent to the process that reads code for its symbols, over Node's "advanced" IPC, and what it answers. */
import { Schema } from "effect"
import type { SourceText } from "@pawl/core/project/Symbols"

/** Files to be read, in one go. */
export interface SymbolOrder {
  /** The answer carries the same number. */
  readonly order: number
  /** Their named parts, or what is wrong with the syntax of each. */
  readonly wanted: "parts" | "problems"
  readonly files: ReadonlyArray<SourceText>
}

const Part = Schema.Struct({
  kind: Schema.Literals(["symbol", "route"]),
  name: Schema.String,
  from: Schema.Finite,
  to: Schema.Finite
})

/** What was wanted of each file, in the order of the files; nothing of what was not. */
export const SymbolAnswer = Schema.Struct({
  order: Schema.Finite,
  parts: Schema.Array(Schema.NullOr(Schema.Array(Part))),
  problems: Schema.Array(Schema.NullOr(Schema.String))
})
export type SymbolAnswer = typeof SymbolAnswer.Type
