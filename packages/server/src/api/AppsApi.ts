/** A Project's live application. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Authenticated } from "./Authentication.ts"
import { about, reading, writing } from "./Needs.ts"
import { ById } from "./Paging.ts"
import { AppRecord } from "./Records.ts"

const get = HttpApiEndpoint.get("get", "/v1/projects/:id/app")
  .setPath(ById)
  .addSuccess(Schema.Struct({ enabled: Schema.Boolean, app: Schema.NullOr(AppRecord) }))
  .annotateContext(
    about(
      reading,
      "The live application and its previews",
      "`enabled` is false where no apps are hosted; `app` is null before the first deploy."
    )
  )

const deploy = HttpApiEndpoint.post("deploy", "/v1/projects/:id/app")
  .setPath(ById)
  .addSuccess(Schema.Struct({ app: AppRecord }), { status: 202 })
  .annotateContext(
    about(
      writing,
      "Deploy the app",
      "Builds the head and serves it. On a live app it releases the head again. 409 `apps_disabled`, `no_source`."
    )
  )

export const AppsApi = HttpApiGroup.make("apps")
  .add(get)
  .add(deploy)
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Live applications")
