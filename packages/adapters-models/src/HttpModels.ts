/** Models over HTTP: one POST for each call, no stream, no retry. A stream that breaks is the worst of all faults. */
import { ModelUnavailable } from "@pawl/core/agent/ModelFailures"
import { type Answer, type Ask, Models, type ModelsShape, type TierModel } from "@pawl/core/agent/Models"
import type { ModelTier } from "@pawl/core/model/Task"
import { readUpTo } from "@pawl/core/primitives/BoundedBytes"
import { Clock, Effect, Layer, Redacted } from "effect"
import { FetchHttpClient, HttpBody, HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { anthropicMessages } from "./AnthropicMessages.ts"
import { failureOf, reasonOf } from "./CallFailures.ts"
import type { Dialect, ModelEndpoint } from "./ModelEndpoint.ts"
import { ModelsLimits } from "./ModelsLimits.ts"
import { openAiChat } from "./OpenAiChat.ts"
import type { WireDialect } from "./WireDialect.ts"
import { textOf } from "@pawl/core/primitives/Utf8"

/** An endpoint, and which of its models serves each tier. */
export interface HttpModelsOptions {
  readonly endpoint: ModelEndpoint
  readonly tiers: Readonly<Record<ModelTier, TierModel>>
}

const forms: Readonly<Record<Dialect, WireDialect>> = {
  "openai-chat": openAiChat,
  "anthropic-messages": anthropicMessages
}

const lost = (kind: ModelUnavailable["kind"], status: number | null, reason: string): ModelUnavailable =>
  new ModelUnavailable({ kind, status, retryAfterMs: null, charged: "unknown", reason })

/** Codes of Node and of its `fetch` for a connection that never was: nobody can have been paid. */
const neverConnected = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT"
]

/** Whether an error, or what caused it, says that there was no connection. An address may have several, tried in turn. */
const wasNeverConnected = (error: unknown): boolean => {
  if (typeof error !== "object" || error === null) return false
  if ("code" in error && typeof error.code === "string" && neverConnected.includes(error.code)) return true
  if ("errors" in error && Array.isArray(error.errors) && error.errors.length > 0)
    return error.errors.every(wasNeverConnected)
  return "cause" in error && wasNeverConnected(error.cause)
}

const unreached = (error: unknown): ModelUnavailable =>
  new ModelUnavailable({
    kind: "network",
    status: null,
    retryAfterMs: null,
    charged: wasNeverConnected(error) ? "no" : "unknown",
    reason: "it cannot be reached"
  })

type Response = HttpClientResponse.HttpClientResponse

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** What a response of 200 means. */
const read = Effect.fnUntraced(function* (
  { answer }: WireDialect,
  endpoint: ModelEndpoint,
  { headers, status, stream }: Response
) {
  const bytes = yield* readUpTo(stream, ModelsLimits.answerBytes + 1)
  if (bytes.length > ModelsLimits.answerBytes) return yield* lost("server", status, "its answer is too large")
  const text = textOf(bytes)
  const body = parsed(text)
  if (body === undefined)
    return yield* text.trimStart().startsWith("{")
      ? lost("cut", status, "its answer broke off")
      : lost("server", status, `its answer is no JSON: ${reasonOf(text, endpoint)}`.slice(0, ModelsLimits.reasonChars))
  const said = answer(body)
  if (said === null) return yield* lost("server", status, "its answer is not of the documented shape")
  return { ...said, requestId: headers["request-id"] ?? headers["x-request-id"] ?? null } satisfies Answer
})

const sent = Effect.fnUntraced(function* (client: HttpClient.HttpClient, options: HttpModelsOptions, ask: Ask) {
  const { endpoint, tiers } = options
  const form = forms[endpoint.dialect]
  const request = HttpClientRequest.post(`${endpoint.url}${form.path}`).pipe(
    HttpClientRequest.acceptJson,
    HttpClientRequest.setHeaders({
      "idempotency-key": ask.callId,
      ...form.headers(endpoint.key === null ? null : Redacted.value(endpoint.key))
    }),
    HttpClientRequest.setBody(HttpBody.jsonUnsafe(form.body(tiers[ask.tier].name, ask, endpoint.url)))
  )
  const response = yield* client.execute(request)
  if (response.status === 200) return yield* read(form, endpoint, response)
  const bytes = yield* readUpTo(response.stream, ModelsLimits.refusalBytes)
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.fail(failureOf(endpoint, response, textOf(bytes), now))
})

/** A call of these models. The key stands in one header of its request and in no error. */
const asking =
  (client: HttpClient.HttpClient, options: HttpModelsOptions): ModelsShape["ask"] =>
  (ask) =>
    sent(client, options, ask).pipe(
      Effect.catchTag("HttpClientError", ({ reason, response }) =>
        response === undefined ? unreached(reason) : lost("cut", response.status, "its answer broke off")
      ),
      Effect.timeoutOrElse({
        duration: ModelsLimits.callTimeoutMs,
        orElse: () => Effect.fail(lost("network", null, "it did not answer in time"))
      }),
      // A key is never taken along to another address.
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
      // Whoever sells models has no part in our traces.
      Effect.provideService(HttpClient.TracerPropagationEnabled, false),
      Effect.withSpan("Models.ask", { attributes: { tier: ask.tier, model: options.tiers[ask.tier].name } })
    )

/** Fills `Models`; the client is the installation's. */
export const layer = (options: HttpModelsOptions): Layer.Layer<never, never, HttpClient.HttpClient> =>
  Layer.effect(
    Models,
    Effect.map(HttpClient.HttpClient, (client) => ({
      available: true,
      of: (tier) => options.tiers[tier],
      ask: asking(client, options)
    }))
  )
