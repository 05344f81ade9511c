/** Whether the server is there, and whether it can work. Anyone may ask. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

const Health = Schema.Struct({
  status: Schema.Literal("ok"),
  version: Schema.String,
  environment: Schema.Literals(["production", "development"])
})

export const Ready = Schema.Struct({ status: Schema.Literal("ready") })

export const NotReady = Schema.Struct({
  status: Schema.Literals(["starting", "stopping", "not_ready"]),
  /** What is not there, in words: a store, git, a loop of this process that has ended. */
  missing: Schema.Array(Schema.String)
})

export const ServiceApi = HttpApiGroup.make("service")
  .add(
    HttpApiEndpoint.get("health", "/health", { success: Health }).annotate(
      OpenApi.Summary,
      "Whether the server answers"
    )
  )
  .add(
    HttpApiEndpoint.get("ready", "/health/ready", {
      success: [Ready, NotReady.pipe(HttpApiSchema.status(503))]
    }).annotate(OpenApi.Summary, "Whether the server can work, and what it lacks")
  )
  .annotate(OpenApi.Description, "The server itself")
