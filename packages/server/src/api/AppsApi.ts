/** A Project's live application. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Authenticated } from "./Authentication.ts"
import { about, administering, reading, writing } from "./Needs.ts"
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

const remove = HttpApiEndpoint.del("remove", "/v1/projects/:id/app")
  .setPath(ById)
  .addSuccess(Schema.Struct({ app: AppRecord }), { status: 202 })
  .annotateContext(
    about(
      administering,
      "Remove the app",
      "Every host of it, previews and versions too, answers 410 from the next request on; its data and bundles are deleted. The Project stays, and a later deploy makes a new pointer. A repeat answers the same; 404 `unknown_app` where there never was one."
    )
  )

export const AppsApi = HttpApiGroup.make("apps")
  .add(get)
  .add(deploy)
  .add(remove)
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Live applications")
