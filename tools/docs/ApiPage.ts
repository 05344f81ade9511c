/** `docs/reference/api.md`: every endpoint and record, from the OpenAPI document that the server itself answers. */
import { openApiDocument } from "@pawl/server/api"
import { code, page, type Page, table } from "./Markdown.ts"
import { isLoose, listOf, type Loose, looseAt, shapeOf } from "./Shapes.ts"

const methods = ["get", "post", "put", "patch", "delete"] as const

interface Operation {
  readonly method: string
  readonly path: string
  readonly group: string
  readonly body: Loose
}

const document: Loose = JSON.parse(JSON.stringify(openApiDocument))

const operations: ReadonlyArray<Operation> = Object.entries(looseAt(document, "paths")).flatMap(([path, item]) =>
  methods.flatMap((method) => {
    const body = looseAt(item, method)
    return Object.keys(body).length === 0
      ? []
      : [
          {
            method: method.toUpperCase(),
            path: path.replaceAll(/\{(\w+)\}/g, ":$1"),
            group: String(listOf(body["tags"])[0]),
            body
          }
        ]
  })
)

const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** One line for each kind of content that a body or an answer may have. */
const contents = (holder: unknown): ReadonlyArray<string> =>
  Object.entries(looseAt(holder, "content")).map(([type, content]) => {
    const shape = isLoose(content) ? shapeOf(content["schema"]) : "anything"
    return type === "application/json" ? code(shape) : code(type)
  })

const queryOf = (operation: Operation): ReadonlyArray<string> =>
  listOf(operation.body["parameters"]).flatMap((parameter) =>
    isLoose(parameter) && parameter["in"] === "query"
      ? [code(`${text(parameter["name"])}${parameter["required"] === true ? "" : "?"}`)]
      : []
  )

const answersOf = (operation: Operation): ReadonlyArray<string> =>
  Object.entries(looseAt(operation.body, "responses")).flatMap(([status, response]) =>
    Number(status) < 400 ? [`${status}: ${contents(response).join(", or ") || "no body"}`] : []
  )

const endpoint = (operation: Operation): string => {
  const query = queryOf(operation)
  const sent = contents(operation.body["requestBody"])
  return [
    `### ${operation.method} ${operation.path}`,
    `${text(operation.body["summary"])}. ${text(operation.body["description"])}`.trim(),
    [
      ...(query.length === 0 ? [] : [`- Query: ${query.join(", ")}`]),
      ...(sent.length === 0 ? [] : [`- Sent: ${sent.join(", or ")}`]),
      ...answersOf(operation).map((answer) => `- Answer ${answer}`)
    ].join("\n")
  ].join("\n\n")
}

const groups = (): ReadonlyArray<string> =>
  listOf(document["tags"]).flatMap((tag) => {
    if (!isLoose(tag)) return []
    const own = operations.filter(({ group }) => group === tag["name"])
    return own.length === 0 ? [] : [[`## ${text(tag["description"])}`, ...own.map(endpoint)].join("\n\n")]
  })

const hidden = new Set(["PropertyKey", "Int", "NonNegativeInt"])

const record = ([name, schema]: readonly [string, unknown]): string => {
  const required = listOf(isLoose(schema) ? schema["required"] : [])
  const fields = Object.entries(looseAt(schema, "properties"))
  return [
    `### ${name}`,
    table(
      ["field", "what it holds"],
      fields.map(([field, inner]) => [code(`${field}${required.includes(field) ? "" : "?"}`), code(shapeOf(inner))])
    )
  ].join("\n\n")
}

const schemas = looseAt(looseAt(document, "components"), "schemas")

/** The records that a part of the document mentions, each before those that stand in it. */
const mentioned = (value: unknown, seen: Set<string>): void => {
  if (Array.isArray(value)) return value.forEach((each) => mentioned(each, seen))
  if (!isLoose(value)) return
  const name = /^#\/components\/schemas\/(.+)$/.exec(text(value["$ref"]))?.[1]
  if (name === undefined) return Object.values(value).forEach((each) => mentioned(each, seen))
  if (seen.has(name)) return
  seen.add(name)
  mentioned(schemas[name], seen)
}

/** First what every endpoint may answer, then as the endpoints mention them: the document lists them in no order. */
const records = (): ReadonlyArray<readonly [string, unknown]> => {
  const seen = new Set(["Problem"])
  for (const { body } of operations) mentioned(body, seen)
  return [...seen].map((name) => [name, schemas[name]] as const)
}

export const apiPage = (): Page =>
  page("docs/reference/api.md", "API", [
    "Made from the contract in `packages/server/src/api`. A running server answers the same as `/openapi.json` (OpenAPI 3.1), and as a page at `/docs`.",
    [
      "- Send `Authorization: Bearer <token>` with everything under `/v1`.",
      "- Bodies are JSON. Unknown fields are ignored. A field that cannot be used is a 400 that names it.",
      "- Lists answer `{ items, nextCursor }`. Ask for the next page with `cursor`. `limit` is at most 100.",
      "- A `?` after a name: it may be left out. `text or null`: the field is always there.",
      "- Every error has [one shape](errors.md). Any endpoint may also answer 401, 403, 404, 429, 500 and 503.",
      "- What a caller may not see does not exist for them: 404."
    ].join("\n"),
    table(
      ["endpoint", "what it does"],
      operations.map(({ method, path, body }) => [code(`${method} ${path}`), text(body["summary"])])
    ),
    ...groups(),
    "## Records",
    ...records()
      .filter(([name]) => !hidden.has(name))
      .map(record)
  ])
