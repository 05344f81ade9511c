/** Any record that a schema allows. Effect's own arbitraries draw ids from their prefix and hardly ever hit the pattern. */
import * as FastCheck from "fast-check"
import { Schema, SchemaAST } from "effect"
import { type Kind, kinds } from "@pawl/core/ledger/Entities"
import { table } from "@pawl/sql/Tables"

type Values = FastCheck.Arbitrary<unknown>

/** Texts that JSON has to escape, and that take more bytes than characters. */
export const texts = FastCheck.oneof(FastCheck.string({ unit: "binary", size: "large" }), FastCheck.string())

const patternOf = (ast: SchemaAST.Refinement): RegExp => {
  const jsonSchema = ast.annotations[SchemaAST.JSONSchemaAnnotationId]
  if (typeof jsonSchema !== "object" || jsonSchema === null || !("pattern" in jsonSchema))
    throw new Error(`only patterns are known here: ${String(ast)}`)
  return new RegExp(String(jsonSchema.pattern))
}

const structOf = (ast: SchemaAST.TypeLiteral): Values => {
  const fields = Object.fromEntries(ast.propertySignatures.map(({ name, type }) => [name, valuesOf(type)]))
  const requiredKeys = ast.propertySignatures.flatMap(({ isOptional, name }) => (isOptional ? [] : [String(name)]))
  return FastCheck.record(fields, { requiredKeys, noNullPrototype: true })
}

const valuesOf = (ast: SchemaAST.AST): Values => {
  switch (ast._tag) {
    case "StringKeyword":
      return texts
    case "NumberKeyword":
      return FastCheck.oneof(FastCheck.integer(), FastCheck.double({ noNaN: true, noDefaultInfinity: true }))
    case "BooleanKeyword":
      return FastCheck.boolean()
    case "UndefinedKeyword":
      return FastCheck.constant(undefined)
    case "Literal":
      return FastCheck.constant(ast.literal)
    case "Refinement":
      return FastCheck.stringMatching(patternOf(ast))
    case "Union":
      return FastCheck.oneof(...ast.types.map(valuesOf))
    case "TupleType":
      return FastCheck.array(valuesOf(ast.rest[0]!.type), { maxLength: 5 })
    case "TypeLiteral":
      return structOf(ast)
    // What a record is once its defaults are filled in.
    case "Transformation":
      return valuesOf(ast.to)
    default:
      throw new Error(`no values are known for ${ast._tag}`)
  }
}

/** A webhook keeps a secret, which its schema hides from print: its JSON is not what `JSON.stringify` makes of it. */
export const plainKinds: ReadonlyArray<Kind> = kinds.filter((kind) => kind !== "webhook")

const records = new Map(plainKinds.map((kind) => [kind, valuesOf(table(kind).entity.schema.ast)]))
export const recordsOf = (kind: Kind): Values => records.get(kind)!

export const encoderOf = (kind: Kind) => Schema.encodeUnknownResult(table(kind).entity.schema)
