/** A client made from the contract. It runs wherever `fetch` does. */
import { Effect, type Redacted } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { PawlApi } from "./PawlApi.ts"

/** Where the server is, and as whom to call it. */
export interface ClientOptions {
  /** Such as `https://pawl.example.org`; its path, if any, is kept. */
  readonly baseUrl: string
  /** An API token; without it only what needs no credentials can be called. */
  readonly token?: string | Redacted.Redacted
  /** Default: the engine's own. */
  readonly fetch?: typeof globalThis.fetch
}

/** One method per endpoint, by group. Refusals fail with `Problem`. */
export const makeClient = Effect.fnUntraced(function* (options: ClientOptions) {
  const plain = yield* HttpClient.HttpClient
  const { fetch, token } = options
  const sending =
    fetch === undefined
      ? plain
      : HttpClient.transformResponse(plain, Effect.provideService(FetchHttpClient.Fetch, fetch))
  const httpClient =
    token === undefined ? sending : HttpClient.mapRequest(sending, HttpClientRequest.bearerToken(token))
  return yield* HttpApiClient.makeWith(PawlApi, { httpClient, baseUrl: options.baseUrl })
}, Effect.provide(FetchHttpClient.layer))

/** One function per endpoint, by group. Problems are the errors of the effects. */
export type PawlClient = Effect.Success<ReturnType<typeof makeClient>>
