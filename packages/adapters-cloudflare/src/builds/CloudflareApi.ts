/**
 * One GET of Cloudflare's public REST API: the envelope `{ success, errors, messages, result, result_info }`, and what
 * its failures mean. The token goes into the `Authorization` header and nowhere else: no fault holds a request.
 * Shapes: https://developers.cloudflare.com/api/resources/workers_builds/
 */
import { CloudflareLimits } from "../CloudflareLimits.ts"
import { Clock, Effect, Option, type Redacted, Schema } from "effect"
import { FetchHttpClient, HttpClientRequest } from "effect/http"
import type { HttpClient, HttpClientResponse } from "effect/http"
import {
  type BuildServiceFault,
  BuildServiceLimited,
  BuildServiceUnauthorized,
  BuildServiceUnavailable
} from "@pawl/core/release/BuildService"
import { readUpTo } from "@pawl/core/primitives/BoundedBytes"
import { textOf } from "@pawl/core/primitives/Utf8"

/** Whose API is asked, and where. */
export interface CloudflareAccount {
  readonly accountId: string
  /** A user's API token that may read Workers Builds and Workers Scripts. */
  readonly token: Redacted.Redacted
  /** Without a slash at its end. */
  readonly apiUrl: string
}

/** Version 4 of the API. */
export const defaultApiUrl = "https://api.cloudflare.com/client/v4"

const Envelope = Schema.fromJsonString(
  Schema.Struct({ success: Schema.Literal(true), result: Schema.optional(Schema.Unknown) })
)

const Refusal = Schema.fromJsonString(
  Schema.Struct({ errors: Schema.Array(Schema.Struct({ code: Schema.optional(Schema.Finite) })) })
)

/** Codes of Cloudflare that mean "these credentials do not do", whatever the status beside them. */
const credentialCodes: ReadonlyArray<number> = [6003, 9106, 9109, 10000]

/** Codes only: what a service says in words is not ours to repeat. */
const codesOf = (text: string): ReadonlyArray<number> =>
  Option.match(Schema.decodeUnknownOption(Refusal)(text), {
    onNone: () => [],
    onSome: ({ errors }) => errors.flatMap(({ code }) => (code === undefined ? [] : [code]))
  })

/** Seconds, or a date (RFC 9110). Null for anything else. */
const retryAfterMs = (header: string | undefined, now: number): number | null => {
  if (header === undefined) return null
  if (/^[0-9]{1,9}$/.test(header)) return Number(header) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

const refused = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse, text: string) {
  const { headers, status } = response
  const codes = codesOf(text)
  if (status === 401 || status === 403 || codes.some((code) => credentialCodes.includes(code)))
    return yield* new BuildServiceUnauthorized({ status })
  if (status === 429)
    return yield* new BuildServiceLimited({
      retryAfterMs: retryAfterMs(headers["retry-after"], yield* Clock.currentTimeMillis)
    })
  const said = codes.length === 0 ? "" : `, code ${codes.join(", ")}`
  return yield* new BuildServiceUnavailable({ reason: `it answered ${status}${said}` })
})

const answerOf = Effect.fnUntraced(function* <A, I>(
  response: HttpClientResponse.HttpClientResponse,
  result: Schema.Codec<A, I>
) {
  const text = textOf(yield* readUpTo(response.stream, CloudflareLimits.buildServiceBodyBytes))
  if (response.status !== 200) return yield* refused(response, text)
  const decoded = Option.flatMap(Schema.decodeUnknownOption(Envelope)(text), (said) =>
    Schema.decodeUnknownOption(result)(said.result)
  )
  if (Option.isSome(decoded)) return decoded.value
  if (codesOf(text).length > 0) return yield* refused(response, text)
  return yield* new BuildServiceUnavailable({ reason: "its answer is not of the documented shape" })
})

/**
 * Asks for what stands at `path` below the account, its parts already encoded, and answers its `result`, decoded. Fails
 * with what the service refused, or with `BuildServiceUnavailable` where its answer cannot be used.
 */
export const get = <A, I>(
  client: HttpClient.HttpClient,
  account: CloudflareAccount,
  path: string,
  query: Readonly<Record<string, string>>,
  result: Schema.Codec<A, I>
): Effect.Effect<A, BuildServiceFault> =>
  client
    .execute(
      HttpClientRequest.get(`${account.apiUrl}/accounts/${encodeURIComponent(account.accountId)}/${path}`).pipe(
        HttpClientRequest.setUrlParams(query),
        HttpClientRequest.acceptJson,
        HttpClientRequest.bearerToken(account.token)
      )
    )
    .pipe(
      Effect.flatMap((response) => answerOf(response, result)),
      Effect.catchTag(
        "HttpClientError",
        ({ response }) =>
          new BuildServiceUnavailable({
            reason: response === undefined ? "it cannot be reached" : "its answer broke off"
          })
      ),
      Effect.timeoutOrElse({
        duration: CloudflareLimits.buildServiceTimeoutMs,
        orElse: () => Effect.fail(new BuildServiceUnavailable({ reason: "it did not answer in time" }))
      }),
      // A token is never taken along to another address.
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
      Effect.withSpan("CloudflareApi.get", { attributes: { path } })
    )
