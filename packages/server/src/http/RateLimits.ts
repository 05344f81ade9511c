/** How many requests a caller may make in a minute, counted in this process. */
import { ServerLimits } from "../ServerLimits.ts"
import { nowMillis } from "@pawl/core/primitives/Time"
import { Context, Effect, Layer } from "effect"
import type { Problem } from "../api/Problem.ts"
import { ApiSettings } from "./ApiSettings.ts"
import { problemOf } from "./Problems.ts"

interface Span {
  readonly endsAtMs: number
  count: number
}

export class RateLimits extends Context.Tag("@pawl/server/http/RateLimits")<
  RateLimits,
  {
    /** Counts one request of the caller; fails when there were too many since the first of this minute. */
    readonly take: (caller: string) => Effect.Effect<void, Problem>
  }
>() {}

const limited = (perMinute: number, retryAfterSeconds: number) =>
  problemOf(
    429,
    "rate_limited",
    "Too many requests",
    `At most ${perMinute} requests in a minute. Try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds }
  )

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
        Effect.flatMap(nowMillis, (now) => {
          const span = spanOf(caller, now)
          span.count++
          return span.count <= requestsPerMinute
            ? Effect.void
            : Effect.fail(limited(requestsPerMinute, Math.max(1, Math.ceil((span.endsAtMs - now) / 1000))))
        })
    }
  })
)
