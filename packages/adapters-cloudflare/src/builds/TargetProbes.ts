/** Probes of a release target over HTTP: one GET each, redirects not followed, the body bounded. */
import { FetchHttpClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { Limits } from "@pawl/core/primitives/Limits"
import { ProbeUnanswered } from "@pawl/core/release/ProbeClient"
import { TargetProbeClient } from "@pawl/core/release/TargetProbeClient"
import { Effect, Layer } from "effect"
import { readUpTo } from "./BoundedBody.ts"

export const layer: Layer.Layer<never, never, HttpClient.HttpClient> = Layer.effect(
  TargetProbeClient,
  Effect.map(HttpClient.HttpClient, (client) => ({
    get: ({ path, timeoutMs, url }) => {
      const silent = (reason: string) => new ProbeUnanswered({ path, reason })
      if (!path.startsWith("/")) return silent("a path starts with a slash")
      return client.execute(HttpClientRequest.get(`${url}${path}`)).pipe(
        Effect.flatMap((response) =>
          Effect.map(readUpTo(response, Limits.probeBodyBytes), (body) => ({
            status: response.status,
            contentType: response.headers["content-type"] ?? null,
            body
          }))
        ),
        Effect.catchTags({
          RequestError: () => silent("the target cannot be reached"),
          ResponseError: () => silent("the answer broke off")
        }),
        Effect.timeoutFail({ duration: timeoutMs, onTimeout: () => silent(`no answer within ${timeoutMs} ms`) }),
        Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" })
      )
    }
  }))
)
