/**
 * Requests that are a path and a token and nothing else, led to their handlers without the library: its router, its
 * decoders and the contexts that it merges cost as much as the rest of such a request. Whatever more there is to a request,
 * a query, an unusual character, a credential of another form, goes the library's way.
 */
import { type Context, Effect, Exit, Redacted, Schema } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { ServerLimits } from "../../ServerLimits.ts"
import { CurrentUser } from "../../api/Authentication.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { authenticated } from "./BearerAuthentication.ts"
import type { Found } from "./Endpoints.ts"
import { refusing } from "../answer/HandlerAnswer.ts"

/** What is handed to a handler. Its types are those of its endpoint, which was decoded as its schemas say. */
interface Asked {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly params: unknown
  readonly query: unknown
}

type Services = Effect.Services<ReturnType<typeof authenticated>>
type Handler = (asked: Asked) => Effect.Effect<unknown, unknown, Services | CurrentUser>

/** An endpoint that can be answered so. */
interface Read {
  readonly handler: Handler
  readonly params: (given: unknown) => Exit.Exit<unknown, unknown>
  /** What its query is when there is none. */
  readonly query: unknown
  /** Throws for a value that does not fit. */
  readonly encode: (value: unknown) => HttpServerResponse.HttpServerResponse
}

/** The endpoint's answer to a request; null for one that goes the library's way. */
export type PlainReads = (
  found: Found,
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, Services> | null

/** No schema of the contract needs services. */
const codecOf = (schema: Schema.Top) => schema as Schema.Codec<unknown, unknown>

const decoding = (schema: Schema.Top | undefined): Read["params"] =>
  schema === undefined ? Exit.succeed : Schema.decodeUnknownExit(codecOf(schema))

const readOf = (
  endpoint: HttpApiEndpoint.Top,
  successes: ReadonlyMap<number, ReadonlyArray<Schema.Top>>,
  handler: Handler
): Read | null => {
  const query = decoding(endpoint.query)({})
  const isPlain = endpoint.method === "GET" && endpoint.headers === undefined && endpoint.payload.size === 0
  const [[status, [schema, ...others]] = [0, []], ...more] = successes
  if (!isPlain || Exit.isFailure(query) || schema === undefined || others.length + more.length > 0) return null
  const encode = Schema.encodeUnknownSync(codecOf(schema))
  return {
    handler,
    params: decoding(endpoint.params),
    query: query.value,
    encode: (value) => HttpServerResponse.jsonUnsafe(encode(value), { status })
  }
}

/** What the library keeps of a group's handlers. Where it is something else, nothing is answered here. */
interface Group {
  readonly handlers: ReadonlyMap<string, { readonly handler: Handler; readonly isRaw: boolean }>
}

const isGroup = (value: unknown): value is Group =>
  typeof value === "object" && value !== null && "handlers" in value && value.handlers instanceof Map

/** By the names of `Endpoints`: those of the groups that were built into `services`. */
const readsOf = (services: Context.Context<never>): ReadonlyMap<string, Read> => {
  const reads = new Map<string, Read>()
  HttpApi.reflect(PawlApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, successes }) => {
      const built = services.mapUnsafe.get(group.key)
      const found = isGroup(built) ? built.handlers.get(endpoint.identifier) : undefined
      const read = found === undefined || found.isRaw ? null : readOf(endpoint, successes, found.handler)
      if (read !== null) reads.set(`${group.identifier}.${endpoint.identifier}`, read)
    }
  })
  return reads
}

const plainTarget = /^[A-Za-z0-9/._~-]+$/
const plainCredential = /^Bearer (\S+)$/

/** The reads of the groups that were built into `services`. */
export const make = (services: Context.Context<never>): PlainReads => {
  const reads = readsOf(services)
  return ({ endpoint, id }, request) => {
    const read = endpoint.need === null ? undefined : reads.get(endpoint.name)
    if (read === undefined || request.method !== "GET" || !plainTarget.test(request.url)) return null
    const token = plainCredential.exec(request.headers["authorization"] ?? "")?.[1]
    const params = read.params(id === null ? {} : { id })
    if (token === undefined || Exit.isFailure(params) || (id?.length ?? 0) > ServerLimits.parameterLength) return null
    const asked = { request, params: params.value, query: read.query }
    return Effect.flatMap(refusing(authenticated(Redacted.make(token))), (caller) =>
      Effect.provideService(
        Effect.map(read.handler(asked), (value) =>
          HttpServerResponse.isHttpServerResponse(value) ? value : read.encode(value)
        ),
        CurrentUser,
        caller
      )
    )
  }
}
