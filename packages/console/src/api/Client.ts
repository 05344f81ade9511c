/** The HTTP API from a page of the same origin: the cookie says who asks. */
import { takeEarly } from "./Early.ts"
import { routes } from "./Routes.generated.ts"
import { refusalOf, unreachable } from "./Refusal.ts"
import type { CallOptions, Plain } from "./Wire.ts"

/** The parts of a call as they go over the wire. */
export interface Call {
  readonly method: string
  /** With `:id` where the parameters stand. */
  readonly path: string
  readonly params?: Readonly<Record<string, unknown>> | undefined
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly payload?: unknown
}

/** The path of a call with its parameters and its query in it. What is undefined is left out. */
export const addressOf = ({ params = {}, path, query = {} }: Call): string => {
  const filled = path.replace(/:([a-zA-Z]+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const asked = Object.entries(query).flatMap(([name, value]): ReadonlyArray<[string, string]> => {
    if (value === undefined) return []
    return (Array.isArray(value) ? value : [value]).map((each) => [name, String(each)])
  })
  return asked.length === 0 ? filled : `${filled}?${new URLSearchParams(asked).toString()}`
}

const bodyOf = async (response: Response): Promise<unknown> => {
  if (response.status === 204) return undefined
  const text = await response.text()
  if (!/^application\/([a-z.+-]*\+)?json\b/.test(response.headers.get("content-type") ?? "")) return text
  return JSON.parse(text)
}

/** Asks, and answers the body. Throws a `Refusal`; what was given up throws as `fetch` does. */
export const ask = async (call: Call, { hearTag, ifMatch = null, signal }: CallOptions = {}): Promise<unknown> => {
  const hasBody = call.payload !== undefined
  const address = addressOf(call)
  const asking =
    takeEarly(call.method, address) ??
    fetch(address, {
      method: call.method,
      credentials: "same-origin",
      headers: {
        accept: "application/json, */*;q=0.5",
        ...(hasBody ? { "content-type": "application/json" } : {}),
        ...(ifMatch === null ? {} : { "if-match": ifMatch })
      },
      ...(hasBody ? { body: JSON.stringify(call.payload) } : {}),
      ...(signal === undefined ? {} : { signal })
    })
  const response = await asking.catch((thrown: unknown) => {
    throw signal?.aborted === true ? thrown : unreachable()
  })
  const body = await bodyOf(response).catch((thrown: unknown) => {
    // It broke off, or is no JSON though it says so.
    throw signal?.aborted === true ? thrown : refusalOf(response.status, null, response.headers.get("x-request-id"))
  })
  hearTag?.(response.headers.get("etag"))
  if (response.ok) return body
  throw refusalOf(response.status, body, response.headers.get("x-request-id"))
}

interface Asked extends Pick<Call, "params" | "query" | "payload"> {}

const methodsOf = (group: Readonly<Record<string, readonly [method: string, path: string]>>) =>
  Object.fromEntries(
    Object.entries(group).map(([name, [method, path]]) => [
      name,
      (request: Asked, options?: CallOptions) => ask({ ...request, method, path }, options)
    ])
  )

/** Every endpoint of the contract, by group and name: `api.projects.list({ query: { limit: 20 } })`. */
export const api = Object.fromEntries(
  Object.entries(routes).map(([name, group]) => [name, methodsOf(group)])
  // The table is made from the contract, and a test holds it to it: so is the type.
) as unknown as Plain
