/** A tracer that keeps little: names, times, a few attributes, and the name of what failed. Never a message, a stack or a body. */
import { Cause, Context, type Exit, Option, Tracer } from "effect"
import { Limits } from "../primitives/Limits.ts"
import { parse, traceparent } from "./TraceContext.ts"

/** A span that has ended. Times are nanoseconds since 1970. */
export interface EndedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string
  readonly kind: Tracer.SpanKind
  readonly startedAt: bigint
  readonly endedAt: bigint
  readonly attributes: ReadonlyMap<string, string | number | boolean>
  readonly outcome: "ok" | "failed" | "interrupted"
  /** The name of the error, for one that failed. */
  readonly failure: string | null
}

/** What a tracer is given: randomness for ids, and who is told of a span that ended. */
export interface TracerOptions {
  /** So many random hexadecimal digits. */
  readonly randomHex: (digits: number) => string
  readonly ended: (span: EndedSpan) => void
}

/** Steps of libraries, and looks that mostly find nothing. Spans under them stand under what is above them. */
const isHidden = (name: string): boolean =>
  /^(sql|http)\./.test(name) || name === "EventRouter.apply" || name.endsWith(" /health")

const nameOf = (error: unknown): string => {
  if (typeof error === "object" && error !== null && "_tag" in error) return String(error._tag)
  return error instanceof Error ? error.name : typeof error
}

const failureOf = (exit: Exit.Exit<unknown, unknown>): Pick<EndedSpan, "outcome" | "failure"> => {
  if (exit._tag === "Success") return { outcome: "ok", failure: null }
  if (Cause.hasInterruptsOnly(exit.cause)) return { outcome: "interrupted", failure: null }
  return { outcome: "failed", failure: nameOf(Cause.squash(exit.cause)) }
}

const plain = (value: unknown): string | number | boolean =>
  typeof value === "number" || typeof value === "boolean" ? value : String(value).slice(0, Limits.spanAttributeLength)

/** A span of this tracer. */
export class RecordedSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly traceId: string
  readonly spanId: string
  readonly sampled: boolean
  readonly attributes = new Map<string, string | number | boolean>()
  readonly links: ReadonlyArray<Tracer.SpanLink> = []
  status: Tracer.SpanStatus
  readonly name: string
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly annotations: Context.Context<never>
  readonly kind: Tracer.SpanKind
  private readonly options: TracerOptions
  /** The nearest span that is told of: itself, or for a hidden one what is above it. */
  readonly shown: Tracer.AnySpan | null

  constructor(
    options: TracerOptions,
    { annotations, kind, name, parent, startTime }: Parameters<Tracer.Tracer["span"]>[0]
  ) {
    this.options = options
    this.name = name
    this.annotations = annotations
    this.kind = kind
    const above = Option.getOrNull(Option.map(parent, shownOf))
    this.parent = Option.fromNullishOr(above)
    this.shown = isHidden(name) ? above : this
    this.traceId = above?.traceId ?? options.randomHex(32)
    this.spanId = this.shown === above && above !== null ? above.spanId : options.randomHex(16)
    this.sampled = above?.sampled ?? true
    this.status = { _tag: "Started", startTime }
  }

  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    const startedAt = this.status.startTime
    this.status = { _tag: "Ended", startTime: startedAt, endTime, exit }
    if (this.shown !== this || !this.sampled) return
    this.options.ended({
      traceId: this.traceId,
      spanId: this.spanId,
      parentSpanId: Option.getOrNull(Option.map(this.parent, (parent) => parent.spanId)),
      name: this.name,
      kind: this.kind,
      startedAt,
      endedAt: endTime,
      attributes: this.attributes,
      ...failureOf(exit)
    })
  }

  attribute(key: string, value: unknown): void {
    if (this.shown === this) this.attributes.set(key, plain(value))
  }

  /** Lines of the log stand in the log. */
  event(): void {}

  addLinks(): void {}
}

const shownOf = (span: Tracer.AnySpan): Tracer.AnySpan | null => (span instanceof RecordedSpan ? span.shown : span)

/** The tracer. Spans whose parent came from outside unsampled are not told of. */
export const make = (options: TracerOptions): Tracer.Tracer =>
  Tracer.make({
    span: (asked) => new RecordedSpan(options, asked)
  })

/** The span that a context stands in, when it is one that is told of. */
export const spanIn = (context: Context.Context<never>): Tracer.AnySpan | null => {
  const span = Option.getOrNull(Context.getOption(context, Tracer.ParentSpan))
  return span instanceof RecordedSpan ? span.shown : null
}

/** The span that sent this command, to be the parent of what is done for it. */
export const senderOf = (payload: Readonly<Record<string, unknown>>): { readonly parent?: Tracer.AnySpan } => {
  const parent = parse(payload[traceparent])
  return Option.isSome(parent) ? { parent: parent.value } : {}
}
