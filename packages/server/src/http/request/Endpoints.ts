/** The endpoints of the contract as a table: which there are at a path, and what they ask for. */
import { Context, Option } from "effect"
import { HttpApi } from "effect/http-api"
import { ServerLimits } from "../../ServerLimits.ts"
import { Authenticated } from "../../api/Authentication.ts"
import { administering, BodyLimit, BodyNeeded, type Need, Needs } from "../../api/Needs.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { type Written, written } from "../answer/WrittenAnswer.ts"

/** One row of the table; `bodyLimit` is in bytes. */
export interface Endpoint {
  /** `changes.create` */
  readonly name: string
  readonly method: string
  /** With `:id` where an id stands. */
  readonly path: string
  /** Null when anyone may call it. */
  readonly need: Need | null
  readonly bodyLimit: number
  /** What to send, where no body is none; null where it is an empty object. */
  readonly bodyNeeded: string | null
  /** Makes the whole answer of what its handler answers; null when the library is to. */
  readonly answer: Written
}

/** The endpoint of a request, and the id that stands in its path. */
export interface Found {
  readonly endpoint: Endpoint
  readonly id: string | null
}

const contract = (): ReadonlyArray<Endpoint> => {
  const found: Array<Endpoint> = []
  HttpApi.reflect(PawlApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, middleware, successes }) =>
      void found.push({
        name: `${group.identifier}.${endpoint.identifier}`,
        method: endpoint.method,
        path: endpoint.path,
        // An endpoint behind authentication that says nothing asks for the most.
        need: isAuthenticated(middleware) ? Option.getOrElse(needOf(endpoint.annotations), () => administering) : null,
        bodyLimit: Option.getOrElse(bodyLimitOf(endpoint.annotations), () => ServerLimits.bodyBytes),
        bodyNeeded: Option.getOrNull(bodyNeededOf(endpoint.annotations)),
        answer: written(successes)
      })
  })
  return found
}

const isAuthenticated = (middleware: ReadonlySet<{ readonly key: string }>): boolean =>
  Array.from(middleware).some(({ key }) => key === Authenticated.key)

const needOf = (annotations: Context.Context<never>): Option.Option<Need> => Context.getOption(annotations, Needs)
const bodyLimitOf = (annotations: Context.Context<never>): Option.Option<number> =>
  Context.getOption(annotations, BodyLimit)
const bodyNeededOf = (annotations: Context.Context<never>): Option.Option<string> =>
  Context.getOption(annotations, BodyNeeded)

const page = (path: string): Endpoint => ({
  name: path,
  method: "GET",
  path,
  need: null,
  bodyLimit: 0,
  bodyNeeded: null,
  answer: () => null
})

/** The contract, and the pages that describe it. */
export const endpoints: ReadonlyArray<Endpoint> = [...contract(), page("/openapi.json"), page("/docs")]

interface Matcher {
  readonly endpoint: Endpoint
  readonly pattern: RegExp
}

/** How many parts a path has, and the word behind `/v1/`: few endpoints have both alike. */
const shapeOf = (path: string): string => {
  const parts = path.split("/")
  return `${parts.length} ${parts[2] ?? ""}`
}

const matchers = Map.groupBy(
  endpoints.map((endpoint): Matcher => {
    const pattern = new RegExp(`^${endpoint.path.replace(/:[a-z]+/g, "([^/]+)")}$`)
    return { endpoint, pattern }
  }),
  ({ endpoint }) => shapeOf(endpoint.path)
)

const none: ReadonlyArray<Matcher> = []

/** As the router reads it; null for what is no text, which the router refuses. */
const decoded = (part: string): string | null => {
  if (!part.includes("%")) return part
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

/** The endpoint of a request; else the methods that its path has, none when there is no such path. */
export const find = (method: string, url: string): Found | ReadonlyArray<string> => {
  const path = url.split("?", 1)[0] ?? ""
  const here = (matchers.get(shapeOf(path)) ?? none).filter(({ pattern }) => pattern.test(path))
  const asked = method === "HEAD" ? "GET" : method
  const found = here.find(({ endpoint }) => endpoint.method === asked)
  if (found !== undefined) {
    const id = found.pattern.exec(path)?.[1]
    return { endpoint: found.endpoint, id: id === undefined ? null : decoded(id) }
  }
  const methods = here.map(({ endpoint }) => endpoint.method)
  return methods.includes("GET") ? [...methods, "HEAD"] : methods
}
