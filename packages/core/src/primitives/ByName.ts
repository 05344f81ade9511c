/**
 * A record whose names come from outside, such as paths of files. `Schema.Record` assigns to its names, and an
 * assignment to `__proto__` is none; here each name is the record's own.
 */
import { JSONSchema, ParseResult, Result, Schema } from "effect"

type Each = (
  value: unknown,
  options?: Parameters<typeof ParseResult.decodeUnknownEither>[1]
) => Result.Result<unknown, ParseResult.ParseIssue>

const isRecord = (input: unknown): input is Readonly<Record<string, unknown>> =>
  typeof input === "object" && input !== null && !Array.isArray(input)

/** Every value through `each`; the first that is refused names its path. */
const through = (each: Each) => (input: unknown, options: Parameters<Each>[1], ast: ParseResult.Type["ast"]) => {
  if (!isRecord(input)) return ParseResult.fail(new ParseResult.Type(ast, input))
  const entries: Array<readonly [string, unknown]> = []
  for (const [name, value] of Object.entries(input)) {
    const read = each(value, options)
    if (Result.isFailure(read)) return ParseResult.fail(new ParseResult.Pointer(name, input, read.failure))
    entries.push([name, read.success])
  }
  return ParseResult.succeed(Object.fromEntries(entries))
}

/** `Schema.Record` of values by names that may be any text. */
export const ByName = <A, I>(
  value: Schema.Codec<A, I>
): Schema.Codec<{ readonly [name: string]: A }, { readonly [name: string]: I }> => {
  const { $schema: _, ...additionalProperties } = JSONSchema.make(value)
  return Schema.declare(
    [value],
    {
      decode: (type) => through(ParseResult.decodeUnknownEither(type)),
      encode: (type) => through(ParseResult.encodeUnknownEither(type))
    },
    { jsonSchema: { type: "object", additionalProperties } }
  ) as unknown as Schema.Codec<{ readonly [name: string]: A }, { readonly [name: string]: I }>
}
