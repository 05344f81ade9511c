/** What is kept of a request to the API besides its answer: a span, a count, and a line in the log when that is wanted. */
import { Clock, Effect, Option, Tracer } from "effect"
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

type Answer<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** Counted and logged when the head of the answer is known: streams go on after that. */
export const observing = <E, R>(
  answer: Answer<E, R>,
  { accessLog, requestId, route, state }: Observed
): Answer<E, R | HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    Effect.withFiber((fiber) => {
      const { httpRequests, httpSeconds } = fiber.getRef(Meters)
      const clock = fiber.getRef(Clock.Clock)
      const method = methodOf(request.method)
      const begun = clock.monotonicTimeNanosUnsafe()
      const isTraced = fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer
      const count = (status: number): number => {
        const seconds = Number(clock.monotonicTimeNanosUnsafe() - begun) / nanosPerSecond
        httpRequests.add(method, route, `${Math.floor(status / 100)}xx`)
        httpSeconds.observe(seconds)
        return seconds
      }
      // Nobody is told of each.
      if (!isTraced && !accessLog)
        return Effect.map(answer, (response) => {
          count(response.status)
          return response
        })
      const told = Effect.tap(answer, ({ status }) => {
        const ms = Math.round(count(status) * 1e6) / 1e3
        const traced = isTraced ? Effect.annotateCurrentSpan("http.response.status_code", status) : Effect.void
        if (!accessLog) return traced
        const words = { requestId, method, route, status, ms, userId: state?.userId ?? null }
        return Effect.andThen(traced, Effect.annotateLogs(Effect.logInfo("request"), words))
      })
      // The library's own tracer tells nobody.
      if (!isTraced) return told
      const caller = parse(request.headers[traceparent])
      return told.pipe(
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
  )
