/** A look at an endpoint that costs nothing: its list of models, which both wire forms have (`GET <url>/models`). */
import { Effect, Redacted } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { anthropicMessages } from "./AnthropicMessages.ts"
import type { Dialect, ModelEndpoint } from "./ModelEndpoint.ts"
import { ModelsLimits } from "./ModelsLimits.ts"
import { openAiChat } from "./OpenAiChat.ts"
import type { WireDialect } from "./WireDialect.ts"

const forms: Readonly<Record<Dialect, WireDialect>> = {
  "openai-chat": openAiChat,
  "anthropic-messages": anthropicMessages
}

/** What there is at an endpoint. */
export type Look =
  /** Somebody answers there, with this status of HTTP. Not every provider lists its models. */
  | { readonly _tag: "Answers"; readonly status: number }
  | { readonly _tag: "RefusesKey"; readonly status: number }
  | { readonly _tag: "Silent" }

/** Asks once, and waits for a moment only. It never fails, and the key goes nowhere else. */
export const look = (endpoint: ModelEndpoint): Effect.Effect<Look, never, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const key = endpoint.key === null ? null : Redacted.value(endpoint.key)
    const { status } = yield* HttpClient.execute(
      HttpClientRequest.get(`${endpoint.url}/models`).pipe(
        HttpClientRequest.setHeaders(forms[endpoint.dialect].headers(key))
      )
    )
    return status === 401 || status === 403
      ? ({ _tag: "RefusesKey", status } as const)
      : ({ _tag: "Answers", status } as const)
  }).pipe(
    Effect.timeout(ModelsLimits.lookTimeoutMs),
    Effect.orElseSucceed((): Look => ({ _tag: "Silent" })),
    // A key is never taken along to another address, and whoever sells models has no part in our traces.
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
    Effect.provideService(HttpClient.TracerPropagationEnabled, false)
  )
