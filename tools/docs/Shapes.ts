/** JSON Schemas of the OpenAPI document in the short notation of the reference: `{ slug: text, name?: text }`. */

export type Loose = Readonly<Record<string, unknown>>
export const isLoose = (value: unknown): value is Loose =>
  typeof value === "object" && value !== null && !Array.isArray(value)
export const looseAt = (value: unknown, key: string): Loose => (isLoose(value) && isLoose(value[key]) ? value[key] : {})
export const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const names: Readonly<Record<string, string>> = { string: "text", integer: "whole number", null: "null" }
/** Small types that say more spelled out than by their name. */
const spelledOut: Readonly<Record<string, string>> = {
  Int: "whole number",
  NonNegativeInt: "whole number",
  PropertyKey: "text"
}

/** `` `proj_${string}` `` is an id: `proj_…`. */
const idOf = (title: unknown): string | undefined =>
  typeof title === "string" ? /^`([a-z]+_)\$\{string\}`$/.exec(title)?.[1] : undefined

const objectShape = (schema: Loose): string => {
  const required = listOf(schema["required"])
  const fields = Object.entries(looseAt(schema, "properties")).map(
    ([name, inner]) => `${name}${required.includes(name) ? "" : "?"}: ${shapeOf(inner)}`
  )
  if (fields.length > 0) return `{ ${fields.join(", ")} }`
  return isLoose(schema["additionalProperties"]) ? `{ [name]: ${shapeOf(schema["additionalProperties"])} }` : "object"
}

const unionShape = (parts: ReadonlyArray<unknown>): string => [...new Set(parts.map(shapeOf))].join(" or ")

export const shapeOf = (schema: unknown): string => {
  if (!isLoose(schema)) return "anything"
  const reference = schema["$ref"]
  if (typeof reference === "string") {
    const name = reference.split("/").at(-1) ?? ""
    return spelledOut[name] ?? name
  }
  const constants = listOf(schema["enum"])
  if (constants.length > 0) return constants.map((each) => JSON.stringify(each)).join(" or ")
  if (schema["anyOf"] !== undefined) return unionShape(listOf(schema["anyOf"]))
  const id = idOf(schema["title"])
  if (id !== undefined) return `${id}…`
  if (schema["type"] === "array") {
    const item = shapeOf(schema["items"])
    return item.includes(" or ") ? `(${item})[]` : `${item}[]`
  }
  if (schema["type"] === "object") return objectShape(schema)
  const type = schema["type"]
  return typeof type === "string" ? (names[type] ?? type) : "anything"
}
