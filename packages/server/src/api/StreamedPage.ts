/** What the document says of a list that is also to be had as a stream. */
import type { OpenApi } from "effect/http-api"
import { withSuccess } from "./Diffs.ts"

const lastEventId = (item: string) => ({
  name: "Last-Event-ID",
  in: "header",
  required: false,
  description: `The \`id:\` of the last ${item} that arrived: the stream goes on after it. It wins over \`after\`.`,
  schema: { type: "string", pattern: "^[0-9]{1,15}$" }
})

/** The header is one of streams alone, so it stands in the document and not in what every client must know. */
const withLastEventId = (operation: Record<string, unknown>, item: string): Record<string, unknown> => {
  const parameters: unknown = operation["parameters"]
  return { ...operation, parameters: [...(Array.isArray(parameters) ? parameters : []), lastEventId(item)] }
}

/** A page of JSON or a stream of frames, and where a stream goes on. `item` is what one frame holds. */
export const streamed =
  (page: string, item: string): typeof OpenApi.Transform.Service =>
  (operation) =>
    withSuccess(withLastEventId(operation, item), {
      description: "Success",
      content: {
        "application/json": { schema: { $ref: `#/components/schemas/${page}` } },
        "text/event-stream": { schema: { type: "string" } }
      }
    })

const fieldsOf = (value: unknown, name: string): Readonly<Record<string, unknown>> => {
  const field: unknown = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
  return typeof field === "object" && field !== null ? { ...field } : {}
}

/** The same where the document has the page in its place already. */
export const alsoStreamed =
  (item: string): typeof OpenApi.Transform.Service =>
  (operation) => {
    const success = fieldsOf(operation["responses"], "200")
    const content = { ...fieldsOf(success, "content"), "text/event-stream": { schema: { type: "string" } } }
    return withSuccess(withLastEventId(operation, item), { ...success, content })
  }
