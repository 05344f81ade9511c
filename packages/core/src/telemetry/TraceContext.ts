/** How a trace goes from one process to the next: the header `traceparent` of W3C Trace Context, also in the payload of commands. */
import { Option, Tracer } from "effect"

/** The name of the header, and of the field in a command's payload. */
export const traceparent = "traceparent"

const form = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** The span that a header names; none when it is not one that can be used. */
export const parse = (text: unknown): Option.Option<Tracer.ExternalSpan> => {
  const [, traceId = "", spanId = "", flags = ""] = (typeof text === "string" ? form.exec(text) : null) ?? []
  // Ids of zeros are not ids.
  if (!/[^0]/.test(traceId) || !/[^0]/.test(spanId)) return Option.none()
  return Option.some(Tracer.externalSpan({ traceId, spanId, sampled: (parseInt(flags, 16) & 1) === 1 }))
}

/** A `traceparent`: version `00`, the ids, and whether the trace is kept. */
export const format = (span: Pick<Tracer.AnySpan, "traceId" | "spanId" | "sampled">): string =>
  `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`
