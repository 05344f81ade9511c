/** What the OpenAPI document says of a shape that no schema of its own describes. */
import { type JsonSchema, Schema } from "effect"

/** A check that always passes: all it does is to stand in the document as this JSON schema. */
export const toldAs = (schema: JsonSchema.JsonSchema) =>
  Schema.makeFilter<unknown>(() => true, { toJsonSchema: () => schema })

/**
 * A number with a name in the document. It is judged behind that name: who sends something else is told what it should be,
 * not what it is called.
 */
const named = (identifier: string, told: JsonSchema.JsonSchema, number: Schema.Codec<number>) =>
  Schema.declare<number>((_value): _value is number => true, { toCodecJson: () => undefined })
    .check(Schema.makeFilter<number>(() => true, { identifier, toJsonSchema: () => told }))
    .pipe(Schema.decodeTo(number))

// JSON knows larger whole numbers than this engine can hold, so the document names no bound of the engine's.
const int = { type: "integer", title: "int", description: "an integer" }

/** A whole number. */
export const Int = named("Int", int, Schema.Finite.check(Schema.isInt()))
/** A whole number, 0 or more. */
export const NonNegativeInt = named(
  "NonNegativeInt",
  { ...int, minimum: 0 },
  Schema.Finite.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(0, { expected: "a non-negative number" }))
)
