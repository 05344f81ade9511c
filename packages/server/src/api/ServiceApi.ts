/** Whether the server is there. Anyone may ask. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"

export const Health = Schema.Struct({
  status: Schema.Literal("ok"),
  version: Schema.String,
  environment: Schema.Literal("production", "development")
})

export const ServiceApi = HttpApiGroup.make("service")
  .add(
    HttpApiEndpoint.get("health", "/health").addSuccess(Health).annotate(OpenApi.Summary, "Whether the server answers")
  )
  .annotate(OpenApi.Description, "The server itself")
