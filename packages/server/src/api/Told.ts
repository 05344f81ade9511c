/** What the OpenAPI document says of a shape that no schema of its own describes. */
import { type JsonSchema, Schema } from "effect"

/** A check that always passes: all it does is to stand in the document as this JSON schema. */
export const toldAs = (schema: JsonSchema.JsonSchema) =>
  Schema.makeFilter<unknown>(() => true, { toJsonSchema: () => schema })

const int = (told: JsonSchema.JsonSchema) =>
  Schema.Finite.check(Schema.isInt({ title: "int", description: "an integer", toJsonSchema: () => told }))

// JSON knows larger whole numbers than this engine can hold, so the document names no bound of the engine's.
export const Int = int({ type: "integer" }).annotate({ identifier: "Int" })
export const NonNegativeInt = int({ type: "integer", minimum: 0 })
  .check(Schema.isGreaterThanOrEqualTo(0, { toJsonSchema: () => ({}) }))
  .annotate({ identifier: "NonNegativeInt" })
