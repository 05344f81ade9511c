/**
 * Values whose schema changes nothing but the names of fields, and their JSON: it is looked at and written straight from
 * the schema, which is much cheaper than to encode it. Each commit owes that for all that it writes.
 */
import { RegExp as Patterns, Schema, SchemaAST } from "effect"
import { wireName, type WireNames, wireNamesOf } from "./WireNames.ts"

/** The JSON of a value; undefined for one that is not plainly what the schema says: then it is to be encoded. */
export type Write = (value: unknown) => string | undefined

type Check = (value: unknown) => boolean

/** What one walk through a schema finds. */
export interface Plain {
  /** Whether the value is what the schema says, with no key more. False says nothing: then it is to be encoded. */
  readonly check: Check
  /** The same, but that there may be keys that no schema names. False says nothing, too. */
  readonly has: Check
  /**
   * The same text as `JSON.stringify` of what the schema encodes the value to, key by key in the schema's order. What is
   * frozen is written once: it cannot change.
   */
  readonly write: Write
  /**
   * What JSON stands for, under the names inside; null where no name is another one. It drops what no schema names and
   * checks nothing: the value is the one that was stored when it is written as the same text again.
   */
  readonly read: ((json: unknown) => unknown) | null
}

const leaf = (check: Check): Plain => ({
  check,
  has: check,
  write: (value) => (check(value) ? JSON.stringify(value) : undefined),
  read: null
})

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

interface Field extends Plain {
  readonly name: string
  readonly onTheWire: string
  /** As it begins in JSON. */
  readonly key: string
  readonly isOptional: boolean
}

const noNames: WireNames = {}

/** Of a Struct without index signatures. */
const fieldsOf = (ast: SchemaAST.Objects, names: WireNames): ReadonlyArray<Field> | null => {
  if (ast.indexSignatures.length > 0 || ast.propertySignatures.length === 0) return null
  const fields: Array<Field> = []
  for (const { name, type } of ast.propertySignatures) {
    const plain = plainOf(type)
    if (plain === null || typeof name !== "string") return null
    const onTheWire = wireName(names, name)
    const key = `${JSON.stringify(onTheWire)}:`
    fields.push({ ...plain, name, onTheWire, key, isOptional: SchemaAST.isOptional(type) })
  }
  return fields
}

/** What has more keys than the schema names is not plain: encoding drops them. */
const areFields = (fields: ReadonlyArray<Field>, value: Fields): boolean => {
  let known = 0
  for (const { check, isOptional, name } of fields) {
    if (Object.hasOwn(value, name)) known++
    else if (isOptional) continue
    else return false
    if (!check(value[name])) return false
  }
  let keys = 0
  for (const _ in value) keys++
  return keys === known
}

/** Whether what a schema asks for is there, whatever else is. */
const haveAll = (fields: ReadonlyArray<Field>, value: Fields): boolean => {
  for (const { has, isOptional, name } of fields)
    if (!Object.hasOwn(value, name)) {
      if (!isOptional) return false
    } else if (!has(value[name])) return false
  return true
}

const written = (fields: ReadonlyArray<Field>, value: Fields): string | undefined => {
  let text = "{"
  for (const { isOptional, key, name, write } of fields) {
    if (!Object.hasOwn(value, name)) {
      if (isOptional) continue
      return undefined
    }
    const field = write(value[name])
    if (field === undefined) return undefined
    text += text.length === 1 ? key + field : `,${key}${field}`
  }
  return `${text}}`
}

/** What is written of a frozen object by one schema. */
const remembering = (write: Write): Write => {
  const known = new WeakMap<object, string>()
  return (value) => {
    if (!isFields(value)) return undefined
    const before = known.get(value)
    if (before !== undefined) return before
    const text = write(value)
    if (text !== undefined && Object.isFrozen(value)) known.set(value, text)
    return text
  }
}

const reading = (fields: ReadonlyArray<Field>): Plain["read"] =>
  fields.every(({ name, onTheWire, read }) => read === null && onTheWire === name)
    ? null
    : (json) => {
        if (!isFields(json)) return json
        const record: Record<string, unknown> = {}
        for (const { name, onTheWire, read } of fields)
          if (Object.hasOwn(json, onTheWire)) record[name] = read === null ? json[onTheWire] : read(json[onTheWire])
        return record
      }

/** By what a Struct is made of, which it shares with itself under another name: one record is written once for both. */
const structs = new WeakMap<object, WeakMap<WireNames, Plain | null>>()

const structOf = (ast: SchemaAST.Objects, names: WireNames): Plain | null => {
  const known = structs.get(ast.propertySignatures)?.get(names)
  if (known !== undefined) return known
  const fields = fieldsOf(ast, names)
  const plain: Plain | null =
    fields === null
      ? null
      : {
          check: (value) => isFields(value) && areFields(fields, value),
          has: (value) => isFields(value) && haveAll(fields, value),
          write: remembering((value) => written(fields, value as Fields)),
          read: reading(fields)
        }
  const made = structs.get(ast.propertySignatures) ?? new WeakMap<WireNames, Plain | null>()
  structs.set(ast.propertySignatures, made.set(names, plain))
  return plain
}

/** Of a list whose items are all alike. */
const listOf = (ast: SchemaAST.Arrays): Plain | null => {
  const item = ast.elements.length === 0 && ast.rest.length === 1 ? plainOf(ast.rest[0]!) : null
  if (item === null) return null
  const { check, has, read, write } = item
  return {
    check: (value) => Array.isArray(value) && value.every(check),
    has: (value) => Array.isArray(value) && value.every(has),
    write: (value) => {
      if (!Array.isArray(value)) return undefined
      let text = "["
      for (const each of value) {
        const one = write(each)
        if (one === undefined) return undefined
        text += text.length === 1 ? one : `,${one}`
      }
      return `${text}]`
    },
    read: read === null ? null : (json) => (Array.isArray(json) ? json.map(read) : json)
  }
}

const isPlainLiteral = (type: SchemaAST.AST): type is SchemaAST.Literal =>
  SchemaAST.isLiteral(type) && type.checks === undefined

const unionOf = (ast: SchemaAST.Union): Plain | null => {
  if (ast.options?.mode === "oneOf") return null
  if (ast.types.every(isPlainLiteral)) {
    const allowed = new Set<unknown>(ast.types.map(({ literal }) => literal))
    return leaf((value) => allowed.has(value))
  }
  const members: Array<Plain> = []
  for (const type of ast.types) {
    const member = plainOf(type)
    if (member === null) return null
    members.push(member)
  }
  return {
    check: (value) => members.some(({ check }) => check(value)),
    has: (value) => members.some(({ has }) => has(value)),
    write: (value) => {
      for (const { write } of members) {
        const text = write(value)
        if (text !== undefined) return text
      }
      return undefined
    },
    read: members.every(({ read }) => read === null)
      ? null
      : (json) => {
          for (const { check, read } of members) {
            const value = read === null ? json : read(json)
            if (check(value)) return value
          }
          return json
        }
  }
}

const isAnyText = (ast: SchemaAST.AST): boolean => SchemaAST.isString(ast) && ast.checks === undefined

/** Of a text that is put together of fixed texts and any others. Most are a beginning, and anything after it. */
const templateOf = ({ parts }: SchemaAST.TemplateLiteral): Plain | null => {
  const [start, rest, ...more] = parts
  if (start !== undefined && rest !== undefined && more.length === 0 && SchemaAST.isLiteral(start) && isAnyText(rest)) {
    const beginning = String(start.literal)
    return leaf((value) => typeof value === "string" && value.startsWith(beginning))
  }
  const sources: Array<string> = []
  for (const part of parts) {
    if (SchemaAST.isLiteral(part)) sources.push(Patterns.escape(String(part.literal)))
    else if (isAnyText(part)) sources.push("[^]*")
    else return null
  }
  const pattern = new RegExp(`^${sources.join("")}$`)
  return leaf((value) => typeof value === "string" && pattern.test(value))
}

/** What the value itself is, whatever is further asked of it. */
const bodyOf = (ast: SchemaAST.AST, names: WireNames): Plain | null => {
  switch (ast._tag) {
    case "String":
      return leaf((value) => typeof value === "string")
    case "Number":
      return leaf((value) => typeof value === "number")
    case "Boolean":
      return leaf((value) => typeof value === "boolean")
    case "Null":
      return leaf((value) => value === null)
    case "Undefined":
      return leaf((value) => value === undefined)
    case "Literal":
      return leaf((value) => value === ast.literal)
    case "TemplateLiteral":
      return templateOf(ast)
    case "Objects":
      return structOf(ast, names)
    case "Arrays":
      return listOf(ast)
    case "Union":
      return unionOf(ast)
    default:
      return null
  }
}

const filtersOf = (checks: SchemaAST.Checks): ReadonlyArray<SchemaAST.Filter<unknown>> =>
  checks.flatMap((check) => (check._tag === "Filter" ? [check] : filtersOf(check.checks)))

const noOptions = {}

/** Whether a value passes all checks of a schema, those inside groups too. */
const passing = (ast: SchemaAST.AST, checks: SchemaAST.Checks): Check => {
  const [first, ...more] = filtersOf(checks)
  return (value) =>
    (first === undefined || first.run(value, ast, noOptions) === undefined) &&
    more.every((filter) => filter.run(value, ast, noOptions) === undefined)
}

const isPassedThrough = ({ to, transformation }: SchemaAST.Link): boolean =>
  transformation._tag === "Transformation" && transformation.encode._tag === "Passthrough" && plainOf(to) !== null

/**
 * The names of fields in what a value is encoded to; null where more is changed than names. A field with a default is
 * linked to the same field that may be missing: what is there goes through the link as it is. Its own schema stands at the
 * end of the links, and must change nothing either.
 */
const namesOf = ({ encoding }: SchemaAST.AST): WireNames | null => {
  if (encoding === undefined || encoding.every(isPassedThrough)) return noNames
  const [link, ...more] = encoding
  return more.length === 0 && plainOf(link.to) !== null ? wireNamesOf(link) : null
}

const plainOf = (ast: SchemaAST.AST): Plain | null => {
  if ("encodingChecks" in ast && ast.encodingChecks !== undefined) return null
  const names = namesOf(ast)
  const body = names === null ? null : bodyOf(ast, names)
  const { checks } = ast
  if (body === null || checks === undefined) return body
  const { check, has, read, write } = body
  const passes = passing(ast, checks)
  return {
    check: (value) => check(value) && passes(value),
    has: (value) => has(value) && passes(value),
    write: (value) => {
      const text = write(value)
      return text !== undefined && passes(value) ? text : undefined
    },
    read
  }
}

/** Null for a schema that has, or may have, a transformation of more than names. */
export const plainJson = ({ ast }: Pick<Schema.Top, "ast">): Plain | null => plainOf(ast)

/** Whether a value has a shape, whatever else it has. The plain way is much faster. */
export const isShaped = <A>(schema: Schema.Schema<A>): ((value: unknown) => value is A) => {
  const plain = plainJson(schema)
  const is = Schema.is(schema)
  return (value): value is A => plain?.has(value) === true || is(value)
}
