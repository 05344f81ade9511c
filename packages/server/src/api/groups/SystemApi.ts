/** The installation itself, for those who own it. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authenticated } from "../Authentication.ts"
import { Moment } from "../Moments.ts"
import { about, readingOwn } from "../Needs.ts"
import { Environment, NotReady, Ready } from "./ServiceApi.ts"

const Process = Schema.Struct({
  id: Schema.String,
  version: Schema.String,
  /** `api`, `router`, `worker`. */
  roles: Schema.Array(Schema.String),
  startedAt: Moment,
  /** When it last said that it runs. */
  seenAt: Moment,
  /** It has said nothing for so long that it may be gone. */
  isSilent: Schema.Boolean
})

const System = Schema.Struct({
  /** Of the process that answers. */
  version: Schema.String,
  environment: Environment,
  /** What `/health/ready` says of the process that answers. */
  readiness: Schema.Union([Ready, NotReady]),
  /** All processes that share the database, in the order of their starts. */
  processes: Schema.Array(Process)
}).annotate({ identifier: "System" })

/** One look at it. */
export const SystemApi = HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("get", "/v1/system", { success: System }).annotateMerge(
      about(
        readingOwn,
        "The installation: its version, whether it can work, and the processes that share its database",
        "For owners of the installation's first organization; 403 `insufficient_role` for others."
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "The installation itself")
