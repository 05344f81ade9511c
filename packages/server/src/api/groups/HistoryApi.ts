/** What happened: every change of a status, with who did it and why. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authenticated } from "../Authentication.ts"
import { about, reading } from "../Needs.ts"
import { ById, PageParams, pageOf, queryNumber } from "../PageParams.ts"
import { HistoryRecord } from "../RecordSchemas.ts"
import { alsoStreamed } from "../StreamedPage.ts"

const HistoryParams = Schema.Struct({
  ...PageParams.fields,
  /** What is told first: what came first, or what came last. A cursor goes on in the order that it came from. */
  order: Schema.optionalKey(Schema.Literals(["oldest", "newest"])),
  /** Only what came after the step that has this `sequence`. */
  after: Schema.optionalKey(queryNumber(0, Number.MAX_SAFE_INTEGER))
})

const ofChange = HttpApiEndpoint.get("ofChange", "/v1/changes/:id/history", {
  params: ById,
  query: HistoryParams,
  success: pageOf(HistoryRecord)
})
  .annotateMerge(
    about(
      reading,
      "The history of a Change",
      "Every change of a status of the Change and of its Tasks, Candidates, releases and previews. Checks too: `check` is `started` when it is taken up, and `finished` with its evidence, whose result is the reason. `from` is null where one began. `commit` names the step of Pawl that did it. `after` keeps what came after the step that has this `sequence`: who saw a part asks for the rest. It is kept for ever. With `Accept: text/event-stream` the answer stays open and tells each new step too, in the order of the steps: its `id:` is the `sequence`, its `data:` the step. `after`, or the header `Last-Event-ID`, says where to begin; without them it is the first step."
    )
  )
  .annotate(OpenApi.Transform, alsoStreamed("step"))

const ofProject = HttpApiEndpoint.get("ofProject", "/v1/projects/:id/history", {
  params: ById,
  query: HistoryParams,
  success: pageOf(HistoryRecord)
})
  .annotateMerge(
    about(
      reading,
      "The history of a Project",
      "That of all its Changes, and of its live app. `after`, and a stream, as of a Change."
    )
  )
  .annotate(OpenApi.Transform, alsoStreamed("step"))

/** Of one Change, or of a whole Project; oldest first unless it is asked otherwise. */
export const HistoryApi = HttpApiGroup.make("history")
  .add(ofChange)
  .add(ofProject)
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "What happened, and why")
