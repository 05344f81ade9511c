/** How many requests a caller may make in a minute, counted in this process. */
import { ServerLimits } from "../../ServerLimits.ts"
import { steadyMillis } from "@pawl/core/primitives/Time"
import { Context, Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import type { Problem } from "../../api/Problem.ts"
import { ApiSettings } from "../ApiSettings.ts"
import { problemOf } from "../answer/Problems.ts"

interface Span {
  readonly endsAtMs: number
  count: number
}

/**
 * By what a caller without credentials is counted. Of an IPv6 address it is the network: whoever has one address of it has
 * all. A port that a proxy wrote behind an address is none of it.
 */
export const strangerAt = (address: Option.Option<string>): string => {
  const text = Option.getOrElse(address, () => "unknown").toLowerCase()
  const bare = text
    .replace(/^\[(.*)\](:\d+)?$/, "$1")
    .replace(/^(\d+(?:\.\d+){3}):\d+$/, "$1")
    .replace(/^::ffff:(?=\d+\.)/, "")
    .replace(/%.*$/, "")
  if (!bare.includes(":")) return `address ${bare}`
  const [head = "", tail] = bare.split("::", 2)
  const groups = head === "" ? [] : head.split(":")
  const after = tail === undefined || tail === "" ? [] : tail.split(":")
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length)
  const all = [...groups, ...Array.from({ length: zeros }, () => "0"), ...after]
  return `address ${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}`
}

/** A caller is a user's id, or the address of somebody without a token. */
export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** Counts one request of the caller; fails when there were too many since the first of this minute. */
    readonly take: (caller: string) => Effect.Effect<void, Problem>
  }
>()("@pawl/server/http/request/RateLimits") {}

/** Counts a request by the address that it came from: of who has no credentials, or guesses them. */
export const countStranger = Effect.flatMap(
  Effect.all([HttpServerRequest.HttpServerRequest, RateLimits]),
  ([{ remoteAddress }, rates]) => rates.take(strangerAt(remoteAddress))
)

const limited = (perMinute: number, retryAfterSeconds: number) =>
  problemOf(
    429,
    "rate_limited",
    "Too many requests",
    `At most ${perMinute} requests in a minute. Try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds }
  )

/**
 * As many as `ApiSettings.requestsPerMinute`, in spans of `ServerLimits.rateWindowMs` that begin with a caller's first
 * request.
 */
export const layer: Layer.Layer<RateLimits, never, ApiSettings> = Layer.effect(
  RateLimits,
  Effect.gen(function* () {
    const { requestsPerMinute } = yield* ApiSettings
    const spans = new Map<string, Span>()
    const spanOf = (caller: string, now: number): Span => {
      const there = spans.get(caller)
      if (there !== undefined && there.endsAtMs > now) return there
      const span = { endsAtMs: now + ServerLimits.rateWindowMs, count: 0 }
      // Set anew, so that the map's order is that of the spans' beginnings.
      spans.delete(caller)
      spans.set(caller, span)
      const oldest = spans.keys().next().value
      if (spans.size > ServerLimits.rateCallers && oldest !== undefined) spans.delete(oldest)
      return span
    }
    return {
      take: (caller) =>
        Effect.flatMap(steadyMillis, (now) => {
          const span = spanOf(caller, now)
          span.count++
          return span.count <= requestsPerMinute
            ? Effect.void
            : Effect.fail(limited(requestsPerMinute, Math.max(1, Math.ceil((span.endsAtMs - now) / 1000))))
        })
    }
  })
)
