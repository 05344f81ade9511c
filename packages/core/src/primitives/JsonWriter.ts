/**
 * The JSON of values whose schema changes nothing, written in one go: the same text as `JSON.stringify` of what the
 * schema encodes them to, key by key in the schema's order. What is frozen is written once: it cannot change.
 */
import { type Schema, SchemaAST } from "effect"
import { bodyOf, encodesToItself, passesChecks } from "./PlainJson.ts"

/** The JSON of a value; undefined for one that is not plainly what the schema says: then it is to be encoded. */
export type Write = (value: unknown) => string | undefined

/** What is written for a frozen object by one schema. */
const remembering = (write: Write): Write => {
  const written = new WeakMap<object, string>()
  return (value) => {
    if (typeof value !== "object" || value === null) return undefined
    const before = written.get(value)
    if (before !== undefined) return before
    const text = write(value)
    if (text !== undefined && Object.isFrozen(value)) written.set(value, text)
    return text
  }
}

/** By what a Struct is made of, which it shares with itself under another name: one record is written once for both. */
const structs = new WeakMap<object, Write | null>()

/** Of a Struct without index signatures. Keys that the schema does not name are left out. */
const structOf = (ast: SchemaAST.Objects): Write | null => {
  if (ast.indexSignatures.length > 0 || ast.propertySignatures.length === 0) return null
  const known = structs.get(ast.propertySignatures)
  if (known !== undefined) return known
  const write = fieldsOf(ast)
  structs.set(ast.propertySignatures, write)
  return write
}

const fieldsOf = (ast: SchemaAST.Objects): Write | null => {
  const fields: Array<{ name: string; key: string; isOptional: boolean; write: Write }> = []
  for (const { name, type } of ast.propertySignatures) {
    const write = writeOf(type)
    if (write === null || typeof name !== "string") return null
    fields.push({ name, key: `${JSON.stringify(name)}:`, isOptional: SchemaAST.isOptional(type), write })
  }
  return remembering((value) => {
    if (Array.isArray(value)) return undefined
    const record = value as Readonly<Record<string, unknown>>
    let text = "{"
    for (const { isOptional, key, name, write } of fields) {
      if (!Object.hasOwn(record, name)) {
        if (isOptional) continue
        return undefined
      }
      const field = write(record[name])
      if (field === undefined) return undefined
      text += text.length === 1 ? key + field : `,${key}${field}`
    }
    return `${text}}`
  })
}

/** Of a list whose items are all alike. */
const listOf = (ast: SchemaAST.Arrays): Write | null => {
  const write = ast.elements.length === 0 && ast.rest.length === 1 ? writeOf(ast.rest[0]!) : null
  if (write === null) return null
  return (value) => {
    if (!Array.isArray(value)) return undefined
    let text = "["
    for (const each of value) {
      const item = write(each)
      if (item === undefined) return undefined
      text += text.length === 1 ? item : `,${item}`
    }
    return `${text}]`
  }
}

const unionOf = (ast: SchemaAST.Union): Write | null => {
  if (ast.options?.mode === "oneOf") return null
  const members: Array<Write> = []
  for (const type of ast.types) {
    const write = writeOf(type)
    if (write === null) return null
    members.push(write)
  }
  return (value) => {
    for (const write of members) {
      const text = write(value)
      if (text !== undefined) return text
    }
    return undefined
  }
}

const leafOf = (ast: SchemaAST.AST): Write | null => {
  const isIt = bodyOf(ast)
  return isIt === null ? null : (value) => (isIt(value) ? JSON.stringify(value) : undefined)
}

const writeBody = (ast: SchemaAST.AST): Write | null => {
  switch (ast._tag) {
    case "Objects":
      return structOf(ast)
    case "Arrays":
      return listOf(ast)
    case "Union":
      return ast.types.every(SchemaAST.isLiteral) ? leafOf(ast) : unionOf(ast)
    default:
      return leafOf(ast)
  }
}

const writeOf = (ast: SchemaAST.AST): Write | null => {
  if ("encodingChecks" in ast && ast.encodingChecks !== undefined) return null
  const write = encodesToItself(ast) ? writeBody(ast) : null
  const { checks } = ast
  if (write === null || checks === undefined) return write
  return (value) => {
    const text = write(value)
    return text !== undefined && passesChecks(ast, value, checks) ? text : undefined
  }
}

/** Null for a schema that has, or may have, a transformation. */
export const writing = ({ ast }: Pick<Schema.Top, "ast">): Write | null => writeOf(ast)
