/**
 * `WebhookSender` by `fetch`. A Worker of Cloudflare has no private network behind it, and Cloudflare looks names up: here
 * only what an address says of itself is judged.
 */
import { refusedHost } from "@pawl/core/primitives/OutboundAddress"
import * as Time from "@pawl/core/primitives/Time"
import { type WebhookMessage, WebhookSender, WebhookUnreachable } from "@pawl/core/webhook/WebhookSender"
import { Effect, Layer } from "effect"
import { signatureOf } from "./WebhookSignature.ts"

const unreachable = (reason: string) => new WebhookUnreachable({ reason })

const parsed = (text: string): Effect.Effect<URL, WebhookUnreachable> =>
  Effect.suspend(() => {
    const url = URL.parse(text)
    if (url === null) return unreachable("this is not a URL")
    if (url.protocol !== "https:") return unreachable("use https")
    if (url.username !== "" || url.password !== "") return unreachable("a URL may not hold a user name or a password")
    if (url.hash !== "") return unreachable("a URL to call has no fragment")
    const refused = refusedHost(url.hostname.replace(/^\[(.*)\]$/, "$1"))
    return refused === null ? Effect.succeed(url) : unreachable(refused)
  })

const send = Effect.fnUntraced(function* ({ body, id, secrets, timeoutMs, url: text }: WebhookMessage) {
  const url = yield* parsed(text)
  const sentAtSeconds = Math.floor((yield* Time.nowMillis) / 1000)
  // The secrets are ours: what does not sign is a defect.
  const signatures = yield* Effect.promise(() =>
    Promise.all(secrets.map((secret) => signatureOf(secret, { id, sentAtSeconds, body })))
  )
  const headers = {
    "content-type": "application/json",
    "user-agent": "pawl",
    "webhook-id": id,
    "webhook-timestamp": String(sentAtSeconds),
    "webhook-signature": signatures.join(" ")
  }
  return yield* Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal })
      await response.body?.cancel()
      return response.status
    },
    // The text of an error may repeat the address.
    catch: () => unreachable("no connection, or it broke off")
  }).pipe(Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.fail(unreachable("no answer in time")) }))
})

/** Sends from a Worker. */
export const layer: Layer.Layer<WebhookSender> = Layer.succeed(WebhookSender, {
  check: (url) => Effect.asVoid(parsed(url)),
  send
})
