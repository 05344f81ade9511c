/**
 * One JSON line per event, on standard error. Redacted values print as `<redacted>`. While traces are made, a line
 * names the trace and the span that it was written in.
 */
import { describeCause } from "@pawl/core/primitives/Words"
import { spanIn } from "@pawl/core/telemetry/SpanTracer"
import { Formatter, Layer, Logger, References } from "effect"

/** A line's text. */
export const json: Logger.Logger<unknown, string> = Logger.make((event) => {
  const { annotations, fiberId, level, message, spans, timestamp } = Logger.formatStructured.log(event)
  const cause = event.cause.reasons.length === 0 ? undefined : describeCause(event.cause)
  const span = spanIn(event.fiber.context)
  const trace = span === null ? {} : { traceId: span.traceId, spanId: span.spanId }
  // Those who read the log know the level by this name, and find it here.
  return Formatter.formatJson({ message, logLevel: level, timestamp, cause, annotations, spans, fiberId, ...trace })
})

const line = Logger.map(json, (text) => {
  process.stderr.write(`${text}\n`)
})

/** In place of Effect's own logger. */
export const layer = Logger.layer([line])
/** Warnings and errors alone. */
export const layerQuiet = Layer.succeed(References.MinimumLogLevel, "Warn")
