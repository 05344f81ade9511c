/** What is kept of a request to the API besides its answer: a span, a count, and a line in the log when that is wanted. */
import { Effect, Option } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { Meters } from "@pawl/core/telemetry/Meters"
import { parse, traceparent } from "@pawl/core/telemetry/TraceContext"
import type { ExchangeShape } from "./Exchange.ts"

/** What is known of a request once its endpoint was looked for. */
export interface Observed {
  readonly requestId: string
  /** The template of the endpoint's path; `unknown` for what is no endpoint. Never what the caller wrote. */
  readonly route: string
  /** Null for what is no endpoint. */
  readonly state: ExchangeShape | null
  readonly accessLog: boolean
}

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** Methods that a caller made up are one. */
const methodOf = (method: string): string => (methods.has(method) ? method : "other")

const nanosPerSecond = 1e9

const elapsed = Effect.clockWith((clock) => clock.currentTimeNanos)

type Answer<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** Counted and logged when the head of the answer is known: streams go on after that. */
export const observing = <E, R>(
  answer: Answer<E, R>,
  { accessLog, requestId, route, state }: Observed
): Answer<E, R | HttpServerRequest.HttpServerRequest> =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { httpRequests, httpSeconds } = yield* Meters
    const method = methodOf(request.method)
    const caller = parse(request.headers[traceparent])
    const begun = yield* elapsed
    const told = Effect.tap(answer, ({ status }) =>
      Effect.gen(function* () {
        const seconds = Number((yield* elapsed) - begun) / nanosPerSecond
        httpRequests.add(method, route, `${Math.floor(status / 100)}xx`)
        httpSeconds.observe(seconds)
        yield* Effect.annotateCurrentSpan("http.response.status_code", status)
        if (accessLog)
          yield* Effect.logInfo("request").pipe(
            Effect.annotateLogs({
              method,
              route,
              status,
              ms: Math.round(seconds * 1e6) / 1e3,
              userId: state?.userId ?? null
            })
          )
      })
    )
    return yield* told.pipe(
      Effect.annotateLogs({ requestId }),
      Effect.withSpan(
        `API ${method} ${route}`,
        {
          kind: "server",
          ...(Option.isSome(caller) ? { parent: caller.value } : {}),
          attributes: { "http.request.method": method, "http.route": route, requestId }
        },
        { captureStackTrace: false }
      )
    )
  })
