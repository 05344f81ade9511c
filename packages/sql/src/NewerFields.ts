/**
 * What a row says beside the fields that this version knows: a newer one, which runs beside it, wrote that. It goes with
 * the record, under a key that nothing else looks at, so that whoever writes the record anew leaves it as it was.
 */
import { type Schema, SchemaAST } from "effect"

const newer: unique symbol = Symbol("fields of a newer version")

/** The names that a schema of records writes; null when it is none of fields. */
export const namesOf = (schema: Schema.Top): ReadonlySet<string> | null => {
  const names = new Set<string>()
  const gather = (ast: SchemaAST.AST): boolean => {
    if (SchemaAST.isUnion(ast)) return ast.types.every(gather)
    if (!SchemaAST.isObjects(ast) || ast.indexSignatures.length > 0) return false
    for (const { name } of ast.propertySignatures) names.add(String(name))
    return true
  }
  return gather(SchemaAST.toEncoded(schema.ast)) ? names : null
}

/** The record, with what `text`, the JSON that it was read from, says beside `names`. */
export const carried = (record: unknown, text: string, names: ReadonlySet<string> | null): unknown => {
  if (names === null || typeof record !== "object" || record === null) return record
  const fields = Object.entries(JSON.parse(text)).filter(([name]) => !names.has(name))
  return fields.length === 0 ? record : { ...record, [newer]: JSON.stringify(Object.fromEntries(fields)) }
}

/** The JSON of a record, with what goes with it. */
export const withCarried = (json: string, record: unknown): string => {
  const fields = (record as { readonly [newer]?: string } | null)?.[newer]
  if (fields === undefined) return json
  return json === "{}" ? fields : `${json.slice(0, -1)},${fields.slice(1)}`
}
