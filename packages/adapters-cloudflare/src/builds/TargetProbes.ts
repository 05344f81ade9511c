/**
 * Probes of a release target over HTTP: one GET each, redirects not followed, the body bounded. A host that is no public
 * one by its name or address is not called; which addresses a name may have is for the client that is provided to judge.
 */
import { Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { Limits } from "@pawl/core/primitives/Limits"
import { OutboundRule, refusedHost } from "@pawl/core/primitives/OutboundAddress"
import { ProbeUnanswered } from "@pawl/core/release/ProbeClient"
import { TargetProbeClient } from "@pawl/core/release/TargetProbeClient"
import { readUpTo } from "@pawl/core/primitives/BoundedBytes"

/** Fails with `ProbeUnanswered`, whose reason is for people, where no whole answer comes in time. */
export const layer: Layer.Layer<never, never, HttpClient.HttpClient> = Layer.effect(
  TargetProbeClient,
  Effect.map(Effect.all([HttpClient.HttpClient, OutboundRule]), ([client, { allowPrivate }]) => ({
    get: ({ path, timeoutMs, url }) => {
      const silent = (reason: string) => new ProbeUnanswered({ path, reason })
      if (!path.startsWith("/")) return silent("a path starts with a slash")
      const refused = allowPrivate ? null : refusedHost(/^https?:\/\/(\[[^\]]*\]|[^/:]*)/.exec(url)?.[1] ?? "")
      if (refused !== null) return silent(refused)
      return client.execute(HttpClientRequest.get(`${url}${path}`)).pipe(
        Effect.flatMap((response) =>
          Effect.map(readUpTo(response.stream, Limits.probeBodyBytes), (body) => ({
            status: response.status,
            contentType: response.headers["content-type"] ?? null,
            body
          }))
        ),
        Effect.catchTag("HttpClientError", ({ response }) =>
          silent(response === undefined ? "the target cannot be reached" : "the answer broke off")
        ),
        Effect.timeoutOrElse({
          duration: timeoutMs,
          orElse: () => Effect.fail(silent(`no answer within ${timeoutMs} ms`))
        }),
        Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" })
      )
    }
  }))
)
