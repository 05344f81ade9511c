/** Any record that a schema allows. Effect's own arbitraries draw ids from their prefix and hardly ever hit the pattern. */
import * as FastCheck from "fast-check"
import { Predicate, Schema, SchemaAST } from "effect"
import { type Kind, kinds } from "@pawl/core/model/Entities"
import { table } from "@pawl/sql/Tables"

type Values = FastCheck.Arbitrary<unknown>

/** Texts that JSON has to escape, and that take more bytes than characters. */
export const texts = FastCheck.oneof(FastCheck.string({ unit: "binary", size: "large" }), FastCheck.string())

/** The check's name, and what it was made with. */
const representationOf = (check: SchemaAST.Check<unknown>) => {
  const representation = check.annotations?.representation
  if (representation === undefined) throw new Error("only checks that say what they are are known here")
  return representation
}

const patternOf = (checks: SchemaAST.Checks): RegExp => {
  const { id, payload } = representationOf(checks[0])
  const isOne = id === "effect/schema/isPattern" && checks.length === 1
  if (!isOne || !Predicate.isObject(payload) || !("source" in payload) || !("flags" in payload))
    throw new Error(`only patterns are known here: ${id}`)
  return new RegExp(String(payload.source), String(payload.flags))
}

const structOf = (ast: SchemaAST.Objects): Values => {
  const fields = Object.fromEntries(ast.propertySignatures.map(({ name, type }) => [name, valuesOf(type)]))
  const requiredKeys = ast.propertySignatures.flatMap(({ name, type }) =>
    SchemaAST.isOptional(type) ? [] : [String(name)]
  )
  return FastCheck.record(fields, { requiredKeys, noNullPrototype: true })
}

const bodyOf = (ast: SchemaAST.AST): Values => {
  switch (ast._tag) {
    case "String":
      return texts
    case "Boolean":
      return FastCheck.boolean()
    case "Null":
      return FastCheck.constant(null)
    case "Undefined":
      return FastCheck.constant(undefined)
    case "Literal":
      return FastCheck.constant(ast.literal)
    case "Union":
      return FastCheck.oneof(...ast.types.map(valuesOf))
    case "Arrays":
      return FastCheck.array(valuesOf(ast.rest[0]!), { maxLength: 5 })
    case "Objects":
      return structOf(ast)
    default:
      throw new Error(`no values are known for ${ast._tag}`)
  }
}

/** What a record is once its defaults are filled in. */
const valuesOf = (ast: SchemaAST.AST): Values => {
  const { checks } = ast
  if (SchemaAST.isNumber(ast) && checks?.every((check) => representationOf(check).id === "effect/schema/isFinite"))
    return FastCheck.oneof(FastCheck.integer(), FastCheck.double({ noNaN: true, noDefaultInfinity: true }))
  return checks === undefined ? bodyOf(ast) : FastCheck.stringMatching(patternOf(checks))
}

/** A webhook keeps a secret, which its schema hides from print: its JSON is not what `JSON.stringify` makes of it. */
export const plainKinds: ReadonlyArray<Kind> = kinds.filter((kind) => kind !== "webhook")

const records = new Map(plainKinds.map((kind) => [kind, valuesOf(table(kind).entity.schema.ast)]))
export const recordsOf = (kind: Kind): Values => records.get(kind)!

export const encoderOf = (kind: Kind) => Schema.encodeUnknownResult(table(kind).entity.schema)
