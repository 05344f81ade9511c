/** What the library's OpenAPI document lacks of what was promised. */
import { ProblemDetails } from "effect/http"
import { type ProblemStatus, problemStatuses } from "./Problem.ts"

type Loose = Record<string, unknown>
const isLoose = (value: unknown): value is Loose => typeof value === "object" && value !== null && !Array.isArray(value)

const problemContent = { [ProblemDetails.contentType]: { schema: { $ref: "#/components/schemas/Problem" } } }
const isProblemStatus = (status: string): status is `${ProblemStatus}` => status in problemStatuses

const each = (value: unknown, change: (inner: unknown, key: string) => unknown): Loose =>
  isLoose(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner, key)])) : {}

/** Every answer from 400 on is a problem. */
const withProblems = (operation: unknown): unknown => {
  if (!isLoose(operation)) return operation
  const responses = each(operation["responses"], (response, status) =>
    isProblemStatus(status)
      ? { description: problemStatuses[Number(status) as ProblemStatus], content: problemContent }
      : response
  )
  const { parameters, requestBody } = operation
  const body = requestBody === undefined ? {} : { requestBody: sent(requestBody) }
  return { ...operation, ...body, parameters: Array.isArray(parameters) ? parameters.map(described) : [], responses }
}

/** What is sent has its named fields; that an endpoint looks at what stands beside them is nobody's promise. */
const sent = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sent)
  if (!isLoose(value)) return value
  const { allOf, ...rest } = each(value, sent)
  const keepsOthers = allOf !== undefined && value["type"] === "object"
  return keepsOthers ? { ...rest, additionalProperties: false } : allOf === undefined ? rest : { ...rest, allOf }
}

/** What a parameter's schema says of it is said of the parameter. */
const described = (parameter: unknown): unknown =>
  isLoose(parameter) && isLoose(parameter["schema"]) && typeof parameter["schema"]["description"] === "string"
    ? { description: parameter["schema"]["description"], ...parameter }
    : parameter

/** Unknown fields are ignored, so no object forbids more of them; one without fields of its own holds anything. */
const open = (schema: Loose): Loose => {
  if (schema["type"] !== "object") return schema
  const { additionalProperties, allOf, properties, required, ...rest } = schema
  if (properties === undefined)
    return additionalProperties === undefined
      ? { ...schema, required: [], properties: {}, additionalProperties: {} }
      : schema
  // Beside the named fields there is nothing but what else a problem tells.
  const more = allOf === undefined ? additionalProperties !== false && additionalProperties : {}
  return { ...rest, properties, required: required ?? [], additionalProperties: more === false ? true : more }
}

/** The form of an id is the whole of it; that it begins with its kind follows. */
const wholeForm = (schema: Loose): Loose => {
  const { allOf, pattern } = schema
  const [form, ...others] = Array.isArray(allOf) ? (allOf as ReadonlyArray<unknown>) : []
  if (typeof pattern !== "string" || others.length > 0 || !isLoose(form) || typeof form["pattern"] !== "string")
    return schema
  return { ...schema, ...form, allOf: [{ pattern }] }
}

const promised = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(promised)
  return isLoose(value) ? wholeForm(open(each(value, promised))) : value
}

/** The document as clients know it. */
export const asPromised = (document: Loose): Loose => ({
  ...document,
  paths: promised(each(document["paths"], (path) => each(path, withProblems))),
  components: promised(document["components"])
})
