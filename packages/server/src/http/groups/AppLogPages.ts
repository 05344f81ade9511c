/** What an app printed: a page of JSON, or a stream. */
import { Effect, Stream } from "effect"
import type { Headers } from "effect/http"
import { AppLogs } from "@pawl/core/app/AppLogs"
import { Limits } from "@pawl/core/primitives/Limits"
import { prefers } from "../request/AcceptHeader.ts"
import { frame, streaming } from "../answer/EventStreams.ts"
import { placeOf } from "../answer/Sequences.ts"

interface Asked {
  readonly after?: number
  readonly cursor?: string
  readonly limit?: number
  readonly channel?: string
}

/** As `Accept` asks: `{ items, nextCursor }`, or the same lines as events without end, from `Last-Event-ID` on. */
export const appLogs = Effect.fnUntraced(function* (projectId: string, asked: Asked, headers: Headers.Headers) {
  const logs = yield* AppLogs
  const open = prefers(headers["accept"], "text/event-stream", "application/json")
  // Without a place it is the newest page.
  const after = yield* placeOf(asked, open ? headers["last-event-id"] : undefined)
  const channel = asked.channel === undefined ? {} : { channel: asked.channel }
  const limit = asked.limit ?? Limits.pageSize
  if (open && after !== undefined)
    return yield* streaming(projectId, Stream.map(logs.follow(projectId, { ...channel, after }), frame))
  const items = yield* logs.read(projectId, { ...channel, ...(after === undefined ? {} : { after }), limit })
  const last = items.at(-1)?.sequence ?? 0
  if (open) {
    const next = Stream.map(logs.follow(projectId, { ...channel, after: last }), frame)
    return yield* streaming(projectId, Stream.concat(Stream.map(Stream.fromIterable(items), frame), next))
  }
  // The newest page is the last one: what is printed later is after its last line.
  return { items, nextCursor: after === undefined || items.length < limit ? null : String(last) }
})
