/** What a server tells of itself: meters always, in memory; traces when a collector is named. */
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { randomBytes } from "node:crypto"
import type { HostSetting } from "@pawl/adapters-local/runtime/host/HostProcess"
import { AppRuntime } from "@pawl/core/app/AppRuntime"
import { Ledger } from "@pawl/core/ledger/Ledger"
import * as Meters from "@pawl/core/telemetry/Meters"
import { counted, traced } from "@pawl/core/telemetry/ObservedLedger"
import * as SpanTracer from "@pawl/core/telemetry/SpanTracer"
import { Context, Effect, Exit, Layer, Option, type Scope, type Tracer } from "effect"
import type { Options } from "../Options.ts"
import * as OtlpExporter from "./OtlpExporter.ts"
import { version } from "../Version.ts"

/** What the composition puts around the parts of a server. */
export interface Telemetry {
  readonly meters: Meters.MeterSet
  /** Null: no traces. */
  readonly tracer: Tracer.Tracer | null
  /** Hears of every cold start of an app. */
  readonly appStarted: HostSetting["started"]
  /** Puts what is counted and traced around the ledger. */
  readonly around: <R>(ports: Context.Context<R>) => Context.Context<R>
  /** Puts what is traced around the runtime of apps. */
  readonly runtime: Layer.Layer<AppRuntime, never, AppRuntime>
}

/** Cold starts that no trace has asked for yet, the newest of each version. */
class ColdStarts {
  private readonly times = new Map<string, readonly [beganMs: number, endedMs: number]>()

  readonly heard: HostSetting["started"] = ({ id }, beganMs, endedMs) => {
    this.times.delete(id)
    this.times.set(id, [beganMs, endedMs])
    const oldest = this.times.keys().next().value
    if (this.times.size > LocalLimits.appProcesses && oldest !== undefined) this.times.delete(oldest)
  }

  /** The start of a version that ended at or after a time. */
  since(id: string, sinceMs: number): readonly [beganMs: number, endedMs: number] | null {
    const found = this.times.get(id)
    return found === undefined || found[1] < sinceMs ? null : found
  }
}

const nanos = (ms: number): bigint => BigInt(Math.round((performance.timeOrigin + ms) * 1000)) * 1000n

/** What a trace asks of an app stands in the trace, with the start of the app's process. Visitors have no trace. */
const tracedRuntime = (
  runtime: AppRuntime["Service"],
  starts: ColdStarts,
  tracer: Tracer.Tracer
): AppRuntime["Service"] => ({
  ...runtime,
  fetch: (app, request) =>
    Effect.flatMap(Effect.context<never>(), (context) => {
      if (SpanTracer.spanIn(context) === null) return runtime.fetch(app, request)
      const beganMs = performance.now()
      return Effect.useSpan("AppRuntime.fetch", { kind: "client", attributes: { version: app.id } }, (span) =>
        Effect.ensuring(
          Effect.withParentSpan(runtime.fetch(app, request), span),
          Effect.sync(() => {
            const start = starts.since(app.id, beganMs)
            if (start === null) return
            const begun = tracer.span({
              name: "AppRuntime.start",
              parent: Option.some(span),
              annotations: Context.empty(),
              links: [],
              startTime: nanos(start[0]),
              kind: "internal",
              root: false,
              sampled: true
            })
            begun.attribute("version", app.id)
            begun.end(nanos(start[1]), Exit.void)
          })
        )
      )
    })
})

const randomHex = (digits: number): string => randomBytes(digits / 2).toString("hex")

const collectorOf = ({ otlpEndpoint, otlpHeaders, serviceName }: Options): OtlpExporter.Collector | null =>
  otlpEndpoint === null ? null : { endpoint: otlpEndpoint, headers: otlpHeaders, serviceName, serviceVersion: version }

/** The telemetry of one server. When its scope ends, the last spans are sent. */
export const make = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Telemetry, never, Scope.Scope> {
  const meters = Meters.make()
  const collector = collectorOf(options)
  const counting = (ledger: Ledger["Service"]) => counted(ledger, meters)
  if (collector === null)
    return {
      meters,
      tracer: null,
      appStarted: () => {},
      around: around(counting),
      runtime: Layer.effect(AppRuntime, AppRuntime)
    }
  const exporter = yield* OtlpExporter.make(collector, meters)
  const tracer = SpanTracer.make({ randomHex, ended: exporter.take })
  const starts = new ColdStarts()
  return {
    meters,
    tracer,
    appStarted: starts.heard,
    around: around((ledger) => traced(counting(ledger))),
    runtime: Layer.effect(
      AppRuntime,
      Effect.map(AppRuntime, (runtime) => tracedRuntime(runtime, starts, tracer))
    )
  }
})

/** Ports without a ledger stay as they are. */
const around =
  (wrap: (ledger: Ledger["Service"]) => Ledger["Service"]) =>
  <R>(ports: Context.Context<R>): Context.Context<R> => {
    const ledger = Option.getOrNull(Context.getOption(ports, Ledger))
    return ledger === null ? ports : Context.merge(ports, Context.make(Ledger, wrap(ledger)))
  }

/** Lets an effect, and all that it starts, count and trace by this. */
export const provide =
  ({ meters, tracer }: Telemetry) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const counted = Effect.provideService(effect, Meters.Meters, meters)
    return tracer === null ? counted : Effect.withTracer(counted, tracer)
  }
