/** What happened on a Project, in one dense sequence: as pages of JSON, or as a stream that stays open. */
import { eventTypes } from "@pawl/core/model/Event"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authenticated } from "../Authentication.ts"
import { about, reading } from "../Needs.ts"
import { ById, oneOfParam, PageParams, pageOf, queryNumber, searchWords } from "../PageParams.ts"
import { EventRecord } from "../RecordSchemas.ts"
import { streamed } from "../StreamedPage.ts"

const list = HttpApiEndpoint.get("list", "/v1/projects/:id/events", {
  params: ById,
  query: Schema.Struct({
    ...PageParams.fields,
    after: Schema.optionalKey(queryNumber(0, Number.MAX_SAFE_INTEGER)),
    /** Only those of these types. */
    types: oneOfParam("types", eventTypes)
  }),
  success: pageOf(EventRecord).annotate({ identifier: "EventPage" })
})
  .annotateMerge(
    about(
      reading,
      "The events of a Project, oldest first",
      `With \`Accept: text/event-stream\` the answer stays open and delivers each new event: its \`id:\` is the sequence, its \`data:\` the envelope. \`after\`, or the header \`Last-Event-ID\`, says where to begin; without them it is the oldest event that is kept. \`types\` keeps those of the types that are named, each as a \`types=\` of its own; they keep their sequences, with gaps between them. ${searchWords("events", "With `types`")} 410 \`events_expired\` when the events after the one that was named are no longer kept, of whatever type.`
    )
  )
  .annotate(OpenApi.Transform, streamed("EventPage", "event"))

/** Reading them: a page, or the stream when it is asked for as `text/event-stream`. */
export const EventsApi = HttpApiGroup.make("events")
  .add(list)
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Events")
