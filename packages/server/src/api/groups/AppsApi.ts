/** A Project's live application. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { matching } from "@pawl/core/primitives/TextPattern"
import { Authenticated } from "../Authentication.ts"
import { about, administering, reading, writing } from "../Needs.ts"
import { ById, PageParams, pageOf, queryNumber } from "../PageParams.ts"
import { AppLogLineRecord, AppRecord } from "../RecordSchemas.ts"
import { streamed } from "../StreamedPage.ts"

const get = HttpApiEndpoint.get("get", "/v1/projects/:id/app", {
  params: ById,
  success: Schema.Struct({ enabled: Schema.Boolean, app: Schema.NullOr(AppRecord) })
}).annotateMerge(
  about(
    reading,
    "The live application and its previews",
    "`enabled` is false where no apps are hosted; `app` is null before the first deploy."
  )
)

const deploy = HttpApiEndpoint.post("deploy", "/v1/projects/:id/app", {
  params: ById,
  success: Schema.Struct({ app: AppRecord }).pipe(HttpApiSchema.status(202))
}).annotateMerge(
  about(
    writing,
    "Deploy the app",
    "Builds the head and serves it. On a live app it releases the head again. 409 `apps_disabled`, `no_source`."
  )
)

const remove = HttpApiEndpoint.delete("remove", "/v1/projects/:id/app", {
  params: ById,
  success: Schema.Struct({ app: AppRecord }).pipe(HttpApiSchema.status(202))
}).annotateMerge(
  about(
    administering,
    "Remove the app",
    "Every host of it, previews and versions too, answers 410 from the next request on; its data and bundles are deleted. The Project stays, and a later deploy makes a new pointer. A repeat answers the same; 404 `unknown_app` where there never was one."
  )
)

const logs = HttpApiEndpoint.get("logs", "/v1/projects/:id/app/logs", {
  params: ById,
  query: Schema.Struct({
    ...PageParams.fields,
    after: Schema.optionalKey(queryNumber(0, Number.MAX_SAFE_INTEGER)),
    channel: Schema.optionalKey(
      Schema.String.check(
        matching(
          "^(production|preview:[0-9a-z]{1,63})$",
          "use `production`, or `preview:` and the name of a preview or version"
        )
      )
    )
  }),
  success: pageOf(AppLogLineRecord).annotate({ identifier: "AppLogPage" })
})
  .annotateMerge(
    about(
      reading,
      "What the app printed and threw",
      "Its `console` output, what it threw with the place in its bundle, and the bounds that stopped it: the last 1,000 lines of all its channels, oldest first. Without `after` the newest ones; with it those with a higher sequence, and `nextCursor` leads to the page after. With `Accept: text/event-stream` the answer stays open and delivers each new line: its `id:` is the sequence, its `data:` the line. `after`, or the header `Last-Event-ID`, says where a stream begins; without them it is the newest page."
    )
  )
  .annotate(OpenApi.Transform, streamed("AppLogPage", "line"))

/** Reading it, deploying and removing it, and what it printed. */
export const AppsApi = HttpApiGroup.make("apps")
  .add(get)
  .add(deploy)
  .add(remove)
  .add(logs)
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Live applications")
