/** Sends one signed message to an address outside. The headers and the signature are those of Standard Webhooks. */
import { Context, Effect, Layer, type Redacted, Schema } from "effect"
import { OutboundRule, refusedHost } from "../primitives/OutboundAddress.ts"

/** No answer came, or the address may not be called. The reason tells neither the address nor the secret. */
export class WebhookUnreachable extends Schema.TaggedError<WebhookUnreachable>()("WebhookUnreachable", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

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

export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /** Fails when the address, as it is written, can never be called: no URL, a wrong scheme, a private address. */
    readonly check: (url: string) => Effect.Effect<void, WebhookUnreachable>
    /** One POST. Answers the status, whatever it is; redirects are not followed, and the answer's body is thrown away. */
    readonly send: (message: WebhookMessage) => Effect.Effect<number, WebhookUnreachable>
  }
>()("@pawl/core/webhook/WebhookSender") {}

/** What a receiver in memory was sent. */
export type Received = Pick<WebhookMessage, "url" | "id" | "body">

/**
 * Receivers in memory: what each URL answers; one that is missing does not answer. `received` grows with every message
 * that got an answer. The caller may change the map.
 */
export const layerMemory = (
  answers: ReadonlyMap<string, number>,
  received: Array<Received> = []
): Layer.Layer<WebhookSender> =>
  Layer.succeed(WebhookSender, {
    check: (url) =>
      Effect.gen(function* () {
        const host = /^https?:\/\/(\[[^\]]*\]|[^/:?#@]+)(:[0-9]+)?([/?]|$)/.exec(url)?.[1]
        if (host === undefined) return yield* new WebhookUnreachable({ reason: "use an http or https URL" })
        const refused = (yield* OutboundRule).allowPrivate ? null : refusedHost(host)
        if (refused !== null) return yield* new WebhookUnreachable({ reason: refused })
      }),
    send: ({ url, id, body }) =>
      Effect.suspend(() => {
        const status = answers.get(url)
        if (status === undefined) return new WebhookUnreachable({ reason: "no answer" })
        received.push({ url, id, body })
        return Effect.succeed(status)
      })
  })
