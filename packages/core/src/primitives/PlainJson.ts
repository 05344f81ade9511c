/**
 * Records whose schema changes nothing are the JSON that they encode to. To look whether a record is what its schema
 * says is much cheaper than to encode it, and each commit owes that look for all that it writes.
 */
import { RegExp as Patterns, type Schema, SchemaAST } from "effect"

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === "string"

interface Field {
  readonly name: string
  readonly isOptional: boolean
  readonly check: Check
}

/** Of a Struct without index signatures. */
const fieldsOf = (ast: SchemaAST.Objects): ReadonlyArray<Field> | null => {
  if (ast.indexSignatures.length > 0 || ast.propertySignatures.length === 0) return null
  const fields: Array<Field> = []
  for (const { name, type } of ast.propertySignatures) {
    const check = checkOf(type)
    if (check === null || typeof name !== "string") return null
    fields.push({ name, isOptional: SchemaAST.isOptional(type), check })
  }
  return fields
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What has more keys than the schema names is not plain: encoding drops them. What `before` holds already is not looked at. */
const areFields = (fields: ReadonlyArray<Field>, value: Fields, before: Fields | null): boolean => {
  let known = 0
  for (const { check, isOptional, name } of fields) {
    if (Object.hasOwn(value, name)) known++
    else if (isOptional) continue
    else return false
    if (before !== null && before[name] === value[name] && Object.hasOwn(before, name)) continue
    if (!check(value[name])) return false
  }
  let keys = 0
  for (const _ in value) keys++
  return keys === known
}

const structOf = (ast: SchemaAST.Objects): Check | null => {
  const fields = fieldsOf(ast)
  return fields === null ? null : (value) => isFields(value) && areFields(fields, value, null)
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

const isAnyText = (ast: SchemaAST.AST): boolean => SchemaAST.isString(ast) && ast.checks === undefined

/** Of a text that is put together of fixed texts and any others. Most are a beginning, and anything after it. */
const templateOf = ({ parts }: SchemaAST.TemplateLiteral): Check | null => {
  const [start, rest, ...more] = parts
  if (start !== undefined && rest !== undefined && more.length === 0 && SchemaAST.isLiteral(start) && isAnyText(rest)) {
    const beginning = String(start.literal)
    return (value) => typeof value === "string" && value.startsWith(beginning)
  }
  const sources: Array<string> = []
  for (const part of parts) {
    if (SchemaAST.isLiteral(part)) sources.push(Patterns.escape(String(part.literal)))
    else if (isAnyText(part)) sources.push("[^]*")
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

/** Whether a value passes all checks of a schema, those inside groups too. */
export const passesChecks = (ast: SchemaAST.AST, value: unknown, checks: SchemaAST.Checks): boolean =>
  checks.every((check) =>
    check._tag === "Filter" ? check.run(value, ast, {}) === undefined : passesChecks(ast, value, check.checks)
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
  return body === null || checks === undefined ? body : (value) => body(value) && passesChecks(ast, value, checks)
}

/**
 * Tells of values that are what the schema says and that encode to themselves: their JSON is `JSON.stringify` of them.
 * Null for a schema that has, or may have, a transformation. False says nothing: then the value is to be encoded.
 */
export const plainCheck = (schema: Schema.Codec<unknown, unknown>): Check | null => checkOf(schema.ast)

/** The same of a record that takes the place of a plain one: only what differs from that is looked at. */
export const plainCheckAfter = (
  schema: Schema.Codec<unknown, unknown>
): ((value: unknown, before: unknown) => boolean) | null => {
  const { ast } = schema
  if (ast._tag !== "Objects" || ast.checks !== undefined || ast.encoding !== undefined) return null
  const fields = checkOf(ast) === null ? null : fieldsOf(ast)
  return fields === null
    ? null
    : (value, before) => isFields(value) && areFields(fields, value, isFields(before) ? before : null)
}
