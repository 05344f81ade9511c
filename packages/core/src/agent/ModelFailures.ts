/** How a call of a model ends without an answer, and whether it was paid for. */
import { Schema } from "effect"

/** Whether a provider charges for a call that brought no answer. */
export const Charged = Schema.Literals([
  /** It was refused before any work. */
  "no",
  /** Its answer was lost, or nobody can tell: it counts as charged. */
  "unknown"
])
export type Charged = typeof Charged.Type

/** The provider is away or overloaded. The same call may be asked again, later. */
export class ModelUnavailable extends Schema.TaggedError<ModelUnavailable>()("ModelUnavailable", {
  kind: Schema.Literals([
    /** Too many requests of ours. */
    "rate",
    /** Too many requests of all. */
    "overloaded",
    /** It failed, or its answer is of no known shape. */
    "server",
    /** It cannot be reached, or did not answer in time. */
    "network",
    /** Its answer broke off. */
    "cut"
  ]),
  /** Of HTTP; null when there was none. */
  status: Schema.NullOr(Schema.Finite),
  /** Milliseconds after which it asks to be asked again; null when it does not say. */
  retryAfterMs: Schema.NullOr(Schema.Finite),
  charged: Charged,
  /** In words, at most 300 characters. Never holds a key. */
  reason: Schema.String
}) {
  override get message() {
    return `The model could not be asked: ${this.reason}`
  }
}

/** The provider will not answer this call, however often it is asked. Nothing was charged. */
export class ModelRefused extends Schema.TaggedError<ModelRefused>()("ModelRefused", {
  kind: Schema.Literals([
    /** The key does not do. */
    "credentials",
    /** The account has no money. */
    "funds",
    /** Request and answer do not fit into the model's context. */
    "too_long",
    /** Anything else about the request. */
    "request"
  ]),
  /** Of HTTP; null when nobody was asked. */
  status: Schema.NullOr(Schema.Finite),
  /** In words, at most 300 characters. Never holds a key. */
  reason: Schema.String
}) {
  override get message() {
    return `The model refused the call: ${this.reason}`
  }
}
