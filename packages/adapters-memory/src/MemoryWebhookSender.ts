/** `WebhookSender` to receivers in memory. */
import { Effect, Layer } from "effect"
import { OutboundRule, refusedHost } from "@pawl/core/primitives/OutboundAddress"
import { type WebhookMessage, WebhookSender, WebhookUnreachable } from "@pawl/core/webhook/WebhookSender"

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
