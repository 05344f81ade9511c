/** Whether the server is there, and whether it can work. Anyone may ask. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

/** What an installation is for. */
export const Environment = Schema.Literals(["production", "development"])

const Health = Schema.Struct({
  status: Schema.Literal("ok"),
  version: Schema.String,
  environment: Environment
})

/** The answer while it can work. */
export const Ready = Schema.Struct({
  status: Schema.Literal("ready"),
  /** What it goes on without, slower: `notices` of the other processes. Only there when there is something. */
  without: Schema.optional(Schema.Array(Schema.String))
})

/** The answer with status 503, and what is missing. */
export const NotReady = Schema.Struct({
  status: Schema.Literals(["starting", "stopping", "not_ready"]),
  /** What is not there, in words: a store, git, room on the disk, a clock that stands still, a loop of this process that has ended. */
  missing: Schema.Array(Schema.String)
})

/** The only group that needs no token. */
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
