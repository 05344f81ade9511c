/**
 * Records whose schema changes nothing are the JSON that they encode to. To look whether a record is what its schema
 * says is much cheaper than to encode it, and each commit owes that look for all that it writes.
 */
import { Option, type Schema, SchemaAST } from "effect"

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === "string"

/** Of a Struct without index signatures. What has more keys than the schema names is not plain: encoding drops them. */
const structOf = (ast: SchemaAST.TypeLiteral): Check | null => {
  if (ast.indexSignatures.length > 0 || ast.propertySignatures.length === 0) return null
  const fields: Array<{ readonly name: string; readonly isOptional: boolean; readonly check: Check }> = []
  for (const { isOptional, name, type } of ast.propertySignatures) {
    const check = checkOf(type)
    if (check === null || typeof name !== "string") return null
    fields.push({ name, isOptional, check })
  }
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false
    const record = value as Readonly<Record<string, unknown>>
    let known = 0
    for (const { check, isOptional, name } of fields) {
      if (Object.hasOwn(record, name)) known++
      else if (isOptional) continue
      else return false
      if (!check(record[name])) return false
    }
    return Object.keys(record).length === known
  }
}

/** Of a list whose items are all alike. */
const listOf = (ast: SchemaAST.TupleType): Check | null => {
  const check = ast.elements.length === 0 && ast.rest.length === 1 ? checkOf(ast.rest[0]!.type) : null
  return check === null ? null : (value) => Array.isArray(value) && value.every(check)
}

const unionOf = (ast: SchemaAST.Union): Check | null => {
  const literals = ast.types.filter(SchemaAST.isLiteral).map(({ literal }): unknown => literal)
  if (literals.length === ast.types.length) {
    const allowed = new Set(literals)
    return (value) => allowed.has(value)
  }
  const checks: Array<Check> = []
  for (const type of ast.types) {
    const check = checkOf(type)
    if (check === null) return null
    checks.push(check)
  }
  return (value) => checks.some((check) => check(value))
}

const refinementOf = (ast: SchemaAST.Refinement): Check | null => {
  const from = checkOf(ast.from)
  return from === null
    ? null
    : (value) => from(value) && Option.isNone(ast.filter(value, SchemaAST.defaultParseOption, ast))
}

/**
 * Of a Struct some of whose fields have a default: what has them all encodes to itself. A field that has another name
 * when it is encoded, or whose own schema changes it, is not plain; the tests of this page try every kind of record.
 */
const defaultedOf = ({ from, to, transformation }: SchemaAST.Transformation): Check | null => {
  if (!SchemaAST.isTypeLiteralTransformation(transformation) || !SchemaAST.isTypeLiteral(from)) return null
  const renamed = transformation.propertySignatureTransformations.some((each) => each.from !== each.to)
  return renamed || !SchemaAST.isTypeLiteral(to) || structOf(from) === null ? null : structOf(to)
}

/** Null for what is not plain JSON, or not known to be. */
const checkOf = (ast: SchemaAST.AST): Check | null => {
  switch (ast._tag) {
    case "StringKeyword":
      return isText
    case "NumberKeyword":
      return (value) => typeof value === "number"
    case "BooleanKeyword":
      return (value) => typeof value === "boolean"
    case "UndefinedKeyword":
      return (value) => value === undefined
    case "Literal":
      return (value) => value === ast.literal
    case "TemplateLiteral": {
      const pattern = SchemaAST.getTemplateLiteralRegExp(ast)
      return (value) => isText(value) && pattern.test(value as string)
    }
    case "TypeLiteral":
      return structOf(ast)
    case "TupleType":
      return listOf(ast)
    case "Union":
      return unionOf(ast)
    case "Refinement":
      return refinementOf(ast)
    case "Transformation":
      return defaultedOf(ast)
    default:
      return null
  }
}

/**
 * Tells of values that are what the schema says and that encode to themselves: their JSON is `JSON.stringify` of them.
 * Null for a schema that has, or may have, a transformation. False says nothing: then the value is to be encoded.
 */
export const plainly = (schema: Schema.Codec<unknown, unknown>): Check | null => checkOf(schema.ast)
