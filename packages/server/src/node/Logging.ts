/**
 * One JSON line per event, on standard error. Redacted values print as `<redacted>`. While traces are made, a line
 * names the trace and the span that it was written in.
 */
import { spanIn } from "@pawl/core/telemetry/Tracing"
import { FiberRef, FiberRefs, Inspectable, Layer, Logger, References } from "effect"

/** A line's text. */
export const json: Logger.Logger<unknown, string> = Logger.make((event) => {
  const span = spanIn(FiberRefs.getOrDefault(event.context, FiberRef.currentContext))
  const trace = span === null ? {} : { traceId: span.traceId, spanId: span.spanId }
  return Inspectable.stringifyCircular({ ...Logger.structuredLogger.log(event), ...trace })
})

const line = Logger.map(json, (text) => {
  process.stderr.write(`${text}\n`)
})

export const layer = Logger.replace(Logger.defaultLogger, line)
export const layerQuiet = Layer.succeed(References.MinimumLogLevel, "Warning")
