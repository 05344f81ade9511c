/** What the OpenAPI document says of a shape that no schema of its own describes. */
import { type JsonSchema, Schema } from "effect"

/** A check that always passes: all it does is to stand in the document as this JSON schema. */
export const toldAs = (schema: JsonSchema.JsonSchema) =>
  Schema.makeFilter<unknown>(() => true, { toJsonSchema: () => schema })

const int = (told: JsonSchema.JsonSchema) =>
  Schema.Finite.check(Schema.isInt({ title: "int", description: "an integer", toJsonSchema: () => told }))

/** A name in the document. Who sends something else is told what it is, not what it is called. */
const named = (identifier: string) =>
  Schema.makeFilter<number>(() => true, { identifier, expected: "number", toJsonSchema: () => ({}) })

// JSON knows larger whole numbers than this engine can hold, so the document names no bound of the engine's.
export const Int = int({ type: "integer" }).check(named("Int"))
export const NonNegativeInt = int({ type: "integer", minimum: 0 }).check(
  Schema.isGreaterThanOrEqualTo(0, { expected: "a non-negative number", toJsonSchema: () => ({}) }),
  named("NonNegativeInt")
)
