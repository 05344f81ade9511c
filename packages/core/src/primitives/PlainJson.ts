/**
 * Records whose schema changes nothing are the JSON that they encode to. To look whether a record is what its schema
 * says is much cheaper than to encode it, and each commit owes that look for all that it writes.
 */
import { RegExp as Patterns, type Schema, SchemaAST } from "effect"

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === "string"

/** Of a Struct without index signatures. What has more keys than the schema names is not plain: encoding drops them. */
const structOf = (ast: SchemaAST.Objects): Check | null => {
  if (ast.indexSignatures.length > 0 || ast.propertySignatures.length === 0) return null
  const fields: Array<{ readonly name: string; readonly isOptional: boolean; readonly check: Check }> = []
  for (const { name, type } of ast.propertySignatures) {
    const check = checkOf(type)
    if (check === null || typeof name !== "string") return null
    fields.push({ name, isOptional: SchemaAST.isOptional(type), check })
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
const listOf = (ast: SchemaAST.Arrays): Check | null => {
  const check = ast.elements.length === 0 && ast.rest.length === 1 ? checkOf(ast.rest[0]!) : null
  return check === null ? null : (value) => Array.isArray(value) && value.every(check)
}

const unionOf = (ast: SchemaAST.Union): Check | null => {
  if (ast.options?.mode === "oneOf") return null
  const isPlainLiteral = (type: SchemaAST.AST) => SchemaAST.isLiteral(type) && type.checks === undefined
  if (ast.types.every(isPlainLiteral)) {
    const allowed = new Set<unknown>(ast.types.filter(SchemaAST.isLiteral).map(({ literal }) => literal))
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

/** Of a text that is put together of fixed texts and any others. */
const templateOf = ({ parts }: SchemaAST.TemplateLiteral): Check | null => {
  const sources: Array<string> = []
  for (const part of parts) {
    if (SchemaAST.isLiteral(part)) sources.push(Patterns.escape(String(part.literal)))
    else if (SchemaAST.isString(part) && part.checks === undefined) sources.push("[^]*")
    else return null
  }
  const pattern = new RegExp(`^${sources.join("")}$`)
  return (value) => isText(value) && pattern.test(value as string)
}

/** What the value itself is, whatever is further asked of it. */
export const bodyOf = (ast: SchemaAST.AST): Check | null => {
  switch (ast._tag) {
    case "String":
      return isText
    case "Number":
      return (value) => typeof value === "number"
    case "Boolean":
      return (value) => typeof value === "boolean"
    case "Null":
      return (value) => value === null
    case "Undefined":
      return (value) => value === undefined
    case "Literal":
      return (value) => value === ast.literal
    case "TemplateLiteral":
      return templateOf(ast)
    case "Objects":
      return structOf(ast)
    case "Arrays":
      return listOf(ast)
    case "Union":
      return unionOf(ast)
    default:
      return null
  }
}

export const passes = (ast: SchemaAST.AST, value: unknown, checks: SchemaAST.Checks): boolean =>
  checks.every((check) =>
    check._tag === "Filter" ? check.run(value, ast, {}) === undefined : passes(ast, value, check.checks)
  )

/**
 * A field with a default is linked to the same field that may be missing: what is there goes through the link as it is.
 * Its own schema stands at the end of the links, and must change nothing either.
 */
export const encodesToItself = ({ encoding }: SchemaAST.AST): boolean =>
  encoding === undefined ||
  encoding.every(
    ({ to, transformation }) =>
      transformation._tag === "Transformation" && transformation.encode._tag === "Passthrough" && checkOf(to) !== null
  )

/** Null for what is not plain JSON, or not known to be. */
const checkOf = (ast: SchemaAST.AST): Check | null => {
  if ("encodingChecks" in ast && ast.encodingChecks !== undefined) return null
  const body = encodesToItself(ast) ? bodyOf(ast) : null
  const { checks } = ast
  return body === null || checks === undefined ? body : (value) => body(value) && passes(ast, value, checks)
}

/**
 * Tells of values that are what the schema says and that encode to themselves: their JSON is `JSON.stringify` of them.
 * Null for a schema that has, or may have, a transformation. False says nothing: then the value is to be encoded.
 */
export const plainly = (schema: Schema.Codec<unknown, unknown>): Check | null => checkOf(schema.ast)
