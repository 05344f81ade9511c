/** Events: pages of JSON, or a stream. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { EventLog } from "@pawl/core/event/EventLog"
import { search } from "@pawl/core/ledger/Search"
import type { Event, EventType } from "@pawl/core/model/Event"
import { Limits } from "@pawl/core/primitives/Limits"
import { PawlApi } from "../../api/PawlApi.ts"
import { prefers } from "../request/AcceptHeader.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { eventStream } from "../answer/EventStreams.ts"
import { onProject } from "../request/Reach.ts"
import { placeOf } from "../answer/Sequences.ts"

/** Before the oldest event that is kept. Only who names where it was has missed what is gone by now. */
const beforeOldest = (projectId: string) =>
  Effect.flatMap(EventLog, (log) => log.read(projectId, 0, 1)).pipe(
    Effect.as(0),
    Effect.catchTag("EventsExpired", ({ oldest }) => Effect.succeed(oldest - 1))
  )

/** A page of those that fit. They are looked through, as `search` says. */
const searched = (projectId: string, after: number, limit: number, fits: (event: Event) => boolean) =>
  Effect.flatMap(EventLog, (log) =>
    search(
      ({ cursor }) =>
        Effect.map(
          log.read(projectId, cursor === undefined ? after : Number(cursor), Limits.eventsPageSize),
          (items) => {
            const cursors = items.map((event) => String(event.sequence))
            return {
              items,
              cursors,
              nextCursor: items.length < Limits.eventsPageSize ? null : (cursors.at(-1) ?? null)
            }
          }
        ),
      fits,
      { limit }
    )
  )

/** Handlers of `events`: `Accept` chooses between a page and a stream. */
export const EventsHttp = HttpApiBuilder.group(PawlApi, "events", (handlers) =>
  handlers.handle("list", ({ params, request, query }) =>
    answering(
      Effect.gen(function* () {
        const project = yield* onProject(params.id)
        const streaming = prefers(request.headers["accept"], "text/event-stream", "application/json")
        const named = yield* placeOf(query, streaming ? request.headers["last-event-id"] : undefined)
        const after = named ?? (yield* beforeOldest(project.id))
        const types: ReadonlyArray<EventType> | undefined =
          typeof query.types === "string" ? [query.types] : query.types
        const fits = ({ type }: Event): boolean => types?.includes(type) !== false
        if (streaming) return yield* eventStream(project.id, after, fits)
        const limit = query.limit ?? Limits.eventsPageSize
        if (types !== undefined) return yield* searched(project.id, after, limit, fits)
        const items = yield* (yield* EventLog).read(project.id, after, limit)
        return { items, nextCursor: items.length < limit ? null : String(items.at(-1)?.sequence ?? after) }
      })
    )
  )
)
