/** Release probes, asked of the router itself: every cache of pointers is passed by, no public route is needed. */
import type { AppResponse } from "@pawl/core/app/AppRuntime"
import { Limits } from "@pawl/core/primitives/Limits"
import { ProbeClient, ProbeUnanswered } from "@pawl/core/release/ProbeClient"
import { Effect, Layer } from "effect"
import { cancelBody, readBody } from "./Body.ts"
import { valueOf } from "./Headers.ts"
import { failurePage, Router, type Unserved } from "./Router.ts"

type Machinery = Extract<
  Unserved,
  { readonly _tag: "AppRuntimeUnavailable" | "PointerSourceUnavailable" | "ObjectStoreUnavailable" }
>

/** Whether it is a store that does not answer now. A runtime that cannot serve may be this version's own doing. */
const isAway = (failure: Machinery): boolean => {
  switch (failure._tag) {
    case "AppRuntimeUnavailable":
      return failure.away === true
    case "PointerSourceUnavailable":
      return true
    case "ObjectStoreUnavailable":
      return failure.lasting !== true
  }
}

/** An app that failed has answered, with that page. Where the machinery before it failed, nothing is known of the app. */
const answered =
  (path: string) =>
  (failure: Unserved): Effect.Effect<AppResponse, ProbeUnanswered> => {
    switch (failure._tag) {
      case "AppThrew":
      case "AppOverLimit":
      case "BundleUnusable":
        return Effect.succeed(failurePage(failure, { method: "GET" }))
      case "AppRuntimeUnavailable":
      case "PointerSourceUnavailable":
      case "ObjectStoreUnavailable":
        return Effect.fail(
          new ProbeUnanswered({ path, reason: `${failure._tag}: ${failure.reason}`, away: isAway(failure) })
        )
    }
  }

const bounded = (path: string, response: AppResponse): Effect.Effect<Uint8Array, ProbeUnanswered> =>
  Effect.tryPromise({
    try: () => readBody(response.body, Limits.probeBodyBytes),
    catch: (error) => new ProbeUnanswered({ path, reason: `the body broke off: ${String(error)}` })
  }).pipe(Effect.onInterrupt(() => Effect.sync(() => cancelBody(response.body))))

/** Over the router. Where the router could not reach the app, that is `ProbeUnanswered`. */
export const layer: Layer.Layer<ProbeClient, never, Router> = Layer.effect(
  ProbeClient,
  Effect.map(Router, (router) => ({
    get: ({ channel, label, path, timeoutMs }) => {
      if (!path.startsWith("/")) return Effect.fail(new ProbeUnanswered({ path, reason: "a path starts with a slash" }))
      return router.ask(label, channel, path).pipe(
        Effect.catch(answered(path)),
        Effect.flatMap((response) =>
          Effect.map(bounded(path, response), (body) => ({
            status: response.status,
            contentType: valueOf(response.headers, "content-type") ?? null,
            body
          }))
        ),
        Effect.timeoutOrElse({
          duration: timeoutMs,
          orElse: () => Effect.fail(new ProbeUnanswered({ path, reason: `no answer within ${timeoutMs} ms` }))
        })
      )
    }
  }))
)
