/**
 * Webhooks over HTTP with Node's own client. Whoever may make a webhook chooses where this machine connects to, so
 * every address that a name has must be public, and the connection goes to one that was looked at, not to the name:
 * a name server that answers differently the next time gains nothing.
 */
import { RouterLimits } from "@pawl/router/RouterLimits"
import { lookup as lookUp } from "node:dns/promises"
import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import { isIP, type LookupFunction } from "node:net"
import { WebhookSender, type WebhookMessage, WebhookUnreachable } from "@pawl/core/webhook/WebhookSender"
import { isPublicAddress, notPublic, refusedHost } from "@pawl/core/primitives/OutboundAddress"
import { LocalLimits } from "../LocalLimits.ts"
import * as Time from "@pawl/core/primitives/Time"
import { Effect, Fiber, Layer, Redacted, Semaphore } from "effect"
import { Webhook } from "standardwebhooks"

/** An address as `node:dns` gives it; `family` is 4 or 6. */
export interface Address {
  readonly address: string
  readonly family: number
}

/** Where webhooks may go, and how names are looked up. */
export interface HttpWebhookSenderOptions {
  /** Allows plain HTTP and addresses that are not public. Default false. */
  readonly allowPrivate?: boolean
  /** Every address of a name. Default: the machine's own resolver. */
  readonly resolve?: (host: string) => Promise<ReadonlyArray<Address>>
}

const unreachable = (reason: string) => new WebhookUnreachable({ reason })

/** The host as an address or a name, without the brackets of IPv6. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1")

/** The URL, when it can be called as far as it can be told from its text. */
const parsed = (text: string, allowPrivate: boolean): Effect.Effect<URL, WebhookUnreachable> =>
  Effect.suspend(() => {
    const url = URL.parse(text)
    if (url === null) return unreachable("this is not a URL")
    if (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:")) return unreachable("use https")
    if (url.username !== "" || url.password !== "") return unreachable("a URL may not hold a user name or a password")
    if (url.hash !== "") return unreachable("a URL to call has no fragment")
    const refused = allowPrivate ? null : refusedHost(hostOf(url))
    return refused === null ? Effect.succeed(url) : unreachable(refused)
  })

/** Only the code of an error: its text may repeat the address, or what a server of the receiver's choice said. */
const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" && /^[A-Z0-9_]{1,60}$/.test(error.code)
    ? `: ${error.code}`
    : ""

/** No connection is kept: the next delivery may have another address. */
const agents = { "http:": new HttpAgent({ keepAlive: false }), "https:": new HttpsAgent({ keepAlive: false }) }

/** Hands out what was looked up before, whatever Node asks for. */
const pinned =
  (addresses: ReadonlyArray<Address>): LookupFunction =>
  (_host, options, callback) => {
    if (options.all === true) callback(null, [...addresses])
    else callback(null, addresses[0]!.address, addresses[0]!.family)
  }

/** Reads and throws away the answer's body, within its bound; `done` when it ended or is cut off. */
const discard = (response: IncomingMessage, done: () => void): void => {
  let left = LocalLimits.webhookAnswerBytes
  response.on("data", (piece: Uint8Array) => {
    left -= piece.length
    if (left < 0) response.destroy()
  })
  response.once("close", done)
  // An answer that breaks off has said its status already.
  response.on("error", () => {})
}

/** One POST on a connection of its own. */
const post = (
  url: URL,
  addresses: ReadonlyArray<Address>,
  headers: Record<string, string>,
  body: string,
  endsAt: number
) =>
  Effect.callback<number, WebhookUnreachable>((resume) => {
    const request = url.protocol === "https:" ? httpsRequest : httpRequest
    let status: number | null = null
    let outgoing: ClientRequest | null = null
    const end = (outcome: Effect.Effect<number, WebhookUnreachable>) => {
      clearTimeout(timer)
      outgoing?.destroy()
      resume(status === null ? outcome : Effect.succeed(status))
    }
    const timer = setTimeout(() => end(unreachable("no answer in time")), Math.max(0, endsAt - performance.now()))
    outgoing = request(
      url,
      {
        method: "POST",
        agent: url.protocol === "https:" ? agents["https:"] : agents["http:"],
        lookup: pinned(addresses),
        headers: { ...headers, "content-length": Buffer.byteLength(body) },
        maxHeaderSize: RouterLimits.requestHeaderBytes
      },
      (response) => {
        status = response.statusCode ?? 0
        discard(response, () => end(Effect.succeed(status ?? 0)))
      }
    )
    outgoing.on("error", (error) => end(unreachable(`no connection, or it broke off${codeOf(error)}`)))
    outgoing.end(body)
    return Effect.sync(() => {
      clearTimeout(timer)
      outgoing?.destroy()
    })
  })

const make = Effect.fnUntraced(function* ({
  allowPrivate = false,
  resolve = (host) => lookUp(host, { all: true, verbatim: true })
}: HttpWebhookSenderOptions) {
  const lookups = yield* Semaphore.make(LocalLimits.webhookLookups)

  /** Every address of the URL's host, all of them public unless private ones are allowed. */
  const addressesOf = Effect.fnUntraced(function* (url: URL) {
    const host = hostOf(url)
    const family = isIP(host)
    if (family !== 0) return [{ address: host, family }]
    // A look-up cannot be cancelled: its permit is given back when it has ended, not when its caller has left.
    const looking = yield* Effect.forkDetach(
      lookups.withPermits(1)(
        Effect.uninterruptible(
          Effect.tryPromise({
            try: () => resolve(host),
            catch: (error) => unreachable(`the name cannot be looked up${codeOf(error)}`)
          })
        )
      )
    )
    const found = yield* Effect.onInterrupt(Fiber.join(looking), () => Effect.sync(() => looking.interruptUnsafe()))
    if (found.length === 0) return yield* unreachable("the name has no address")
    if (!allowPrivate && !found.every(({ address }) => isPublicAddress(address))) return yield* unreachable(notPublic)
    return found
  })

  const send = Effect.fnUntraced(function* ({ body, id, secrets, timeoutMs, url: text }: WebhookMessage) {
    const endsAt = performance.now() + timeoutMs
    const url = yield* parsed(text, allowPrivate)
    const addresses = yield* addressesOf(url).pipe(
      Effect.timeoutOrElse({
        duration: timeoutMs,
        orElse: () => Effect.fail(unreachable("the name was not looked up in time"))
      })
    )
    const sentAt = new Date(yield* Time.nowMillis)
    const headers = {
      "content-type": "application/json",
      "user-agent": "pawl",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
      "webhook-signature": secrets.map((secret) => new Webhook(Redacted.value(secret)).sign(id, sentAt, body)).join(" ")
    }
    return yield* post(url, addresses, headers, body, endsAt)
  })

  return { check: (url: string) => Effect.asVoid(parsed(url, allowPrivate)), send }
})

/** Sends from this machine. */
export const layer = (options: HttpWebhookSenderOptions = {}): Layer.Layer<WebhookSender> =>
  Layer.effect(WebhookSender, make(options))
