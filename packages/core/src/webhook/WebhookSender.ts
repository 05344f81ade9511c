/** Sends one signed message to an address outside. The headers and the signature are those of Standard Webhooks. */
import { Context, type Effect, type Redacted, Schema } from "effect"

/** No answer came, or the address may not be called. The reason tells neither the address nor the secret. */
export class WebhookUnreachable extends Schema.TaggedError<WebhookUnreachable>()("WebhookUnreachable", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** What is sent to whom. */
export interface WebhookMessage {
  readonly url: string
  /** Each is `whsec_` and base64, and signs `id`, the time of sending and `body`: as many signatures as there are secrets. */
  readonly secrets: readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]
  /** The same at every try, so that the receiver can tell a repetition. */
  readonly id: string
  /** JSON. */
  readonly body: string
  /** For the whole exchange: looking up the name, connecting, and the answer's status. */
  readonly timeoutMs: number
}

/** One try of one message: when it is tried again is not decided here. */
export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /** Fails when the address, as it is written, can never be called: no URL, a wrong scheme, a private address. */
    readonly check: (url: string) => Effect.Effect<void, WebhookUnreachable>
    /** One POST. Answers the status, whatever it is; redirects are not followed, and the answer's body is thrown away. */
    readonly send: (message: WebhookMessage) => Effect.Effect<number, WebhookUnreachable>
  }
>()("@pawl/core/webhook/WebhookSender") {}
