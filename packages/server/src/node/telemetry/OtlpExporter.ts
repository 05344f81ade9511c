/**
 * Sends spans to a collector: OTLP over HTTP, as JSON. Nothing of Pawl waits for it. A collector that is away is told of
 * once in the log; spans wait for it in a bounded queue, and what does not fit is dropped and counted.
 */
import { ServerLimits } from "../../ServerLimits.ts"
import type { MeterSet } from "@pawl/core/telemetry/Meters"
import type { EndedSpan } from "@pawl/core/telemetry/SpanTracer"
import { describe } from "@pawl/core/primitives/Words"
import { Effect, Redacted } from "effect"

/** Where spans go, and under which name; the headers may hold a credential. */
export interface Collector {
  /** Of OTLP over HTTP, without `/v1/traces`. It holds no credentials. */
  readonly endpoint: string
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>>
  readonly serviceName: string
  readonly serviceVersion: string
}

const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const

const valueOf = (value: string | number | boolean) => {
  if (typeof value === "string") return { stringValue: value }
  if (typeof value === "boolean") return { boolValue: value }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

const attributesOf = (entries: Iterable<readonly [string, string | number | boolean]>) =>
  Array.from(entries, ([key, value]) => ({ key, value: valueOf(value) }))

const spanOf = (span: EndedSpan) => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentSpanId === null ? {} : { parentSpanId: span.parentSpanId }),
  name: span.name,
  kind: kinds[span.kind],
  startTimeUnixNano: String(span.startedAt),
  endTimeUnixNano: String(span.endedAt),
  attributes: attributesOf([
    ...span.attributes,
    ...(span.failure === null ? [] : [["error.type", span.failure] as const]),
    ...(span.outcome === "interrupted" ? [["interrupted", true] as const] : [])
  ]),
  // 1 is OK, 2 is an error.
  status: { code: span.outcome === "failed" ? 2 : 1 }
})

/** The body of one request. */
const encode = (collector: Pick<Collector, "serviceName" | "serviceVersion">, spans: ReadonlyArray<EndedSpan>) =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: {
          attributes: attributesOf([
            ["service.name", collector.serviceName],
            ["service.version", collector.serviceVersion],
            ["process.pid", process.pid]
          ])
        },
        scopeSpans: [{ scope: { name: "pawl", version: collector.serviceVersion }, spans: spans.map(spanOf) }]
      }
    ]
  })

/** `taken` and `refused` end a batch; after `away` it is sent again. */
type Answer = { readonly _tag: "taken" } | { readonly _tag: "refused" | "away"; readonly reason: string }

const post = (collector: Collector, body: string, timeoutMs: number) =>
  Effect.tryPromise((signal) =>
    fetch(`${collector.endpoint.replace(/\/+$/, "")}/v1/traces`, {
      method: "POST",
      headers: { ...Redacted.value(collector.headers), "content-type": "application/json" },
      body,
      redirect: "error",
      signal
    }).then(async (answer) => {
      await answer.body?.cancel()
      return answer.status
    })
  ).pipe(
    Effect.map((status): Answer => {
      if (status >= 200 && status < 300) return { _tag: "taken" }
      // What OTLP says may be sent again.
      const passing = status === 429 || status === 502 || status === 503 || status === 504
      return { _tag: passing ? "away" : "refused", reason: `it answered ${status}` }
    }),
    Effect.timeoutOrElse({
      duration: timeoutMs,
      orElse: () => Effect.succeed<Answer>({ _tag: "away", reason: `no answer within ${timeoutMs} ms` })
    }),
    Effect.catch(() => Effect.succeed<Answer>({ _tag: "away", reason: "no connection" })),
    Effect.withTracerEnabled(false)
  )

/** Takes spans that have ended. Ends with its scope, after one last try to send what waits. */
export const make = Effect.fnUntraced(function* (collector: Collector, meters: MeterSet) {
  const waiting: Array<EndedSpan> = []
  let quiet = true
  const count = (outcome: "sent" | "dropped", spans: number) => {
    for (let n = 0; n < spans; n++) meters.spans.add(outcome)
  }
  const tell = (problem: string | null) => {
    if ((problem === null) === quiet) return Effect.void
    quiet = problem === null
    return problem === null
      ? Effect.logInfo("traces are sent again")
      : Effect.logWarning("traces cannot be sent", problem).pipe(Effect.annotateLogs({ collector: collector.endpoint }))
  }
  /** Sends all that waits, batch by batch; answers whether the collector was there. */
  const flush = Effect.fnUntraced(function* (timeoutMs: number) {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, ServerLimits.spansAtOnce)
      const answer = yield* post(collector, encode(collector, batch), timeoutMs)
      yield* tell(answer._tag === "taken" ? null : answer.reason)
      if (answer._tag === "away") return false
      waiting.splice(0, batch.length)
      count(answer._tag === "taken" ? "sent" : "dropped", batch.length)
    }
    return true
  })
  const loop = Effect.gen(function* () {
    let pauseMs: number = ServerLimits.spansEveryMs
    for (;;) {
      yield* Effect.sleep(pauseMs)
      // Nobody waits for this fiber: a defect of one round would end it, and be told to nobody.
      const there = yield* flush(ServerLimits.spanSendMs).pipe(
        Effect.catchDefect((defect) => Effect.as(Effect.logError("traces were not sent", describe(defect)), false))
      )
      pauseMs = there ? ServerLimits.spansEveryMs : Math.min(pauseMs * 2, ServerLimits.spanRetryMs)
    }
  })
  yield* Effect.addFinalizer(() =>
    Effect.timeoutOption(Effect.interruptible(flush(ServerLimits.spanFlushMs)), ServerLimits.spanFlushMs)
  )
  yield* Effect.forkScoped(loop)
  return {
    take: (span: EndedSpan): void => {
      if (waiting.length < ServerLimits.spansWaiting) waiting.push(span)
      else count("dropped", 1)
    }
  }
})
