/** Answers whose schema changes nothing, written without the library's encoder: the same bytes in a tenth of the time. */
import { plainJson } from "@pawl/core/primitives/PlainJson"
import { Schema, SchemaAST } from "effect"
import { HttpServerResponse } from "effect/http"

/** The whole answer of a handler's value; null where the library is to encode it, or to say why it cannot. */
export type Written = (value: unknown) => HttpServerResponse.HttpServerResponse | null

type Successes = ReadonlyMap<number, ReadonlyArray<Schema.Top>>

const library: Written = () => null

const make = (status: number, schema: Schema.Top): Written => {
  // What is no object, the text of an output, has an encoding of its own.
  const write = SchemaAST.isObjects(schema.ast) ? (plainJson(Schema.toCodecJson(schema))?.write ?? null) : null
  if (write === null) return library
  const options = { status, contentType: "application/json" }
  return (value) => {
    const text = write(value)
    return text === undefined ? null : HttpServerResponse.text(text, options)
  }
}

/** For an endpoint of one success. Made when it is first asked. */
export const written = (successes: Successes): Written => {
  const [only, ...others] = successes
  if (only === undefined || others.length > 0) return library
  const [status, [schema, ...more]] = only
  if (schema === undefined || more.length > 0) return library
  let made: Written | null = null
  return (value) => (made ??= make(status, schema))(value)
}
