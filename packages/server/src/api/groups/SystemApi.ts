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

const Queued = Schema.Struct({
  kind: Schema.String,
  /** `ready` may be claimed now, `waiting` is due later, a worker holds what is `leased`, and `dead` waits for a person. */
  state: Schema.Literals(["ready", "waiting", "leased", "dead"]),
  count: Schema.Finite
})

/** Of all Projects together, today in UTC. */
const UsedToday = Schema.Struct({
  buildsToday: Schema.Finite,
  /** As many as may be made in a day. */
  buildsCap: Schema.Finite,
  modelCallsToday: Schema.Finite,
  /** As many as may be made in a day. */
  modelCallsCap: Schema.Finite
})

const Found = Schema.Struct({
  /** Such as `Sandbox for checks`. */
  part: Schema.String,
  /** `weak` works with less than it could; without what is `missing` something does not work. */
  state: Schema.Literals(["ok", "weak", "missing"]),
  found: Schema.String,
  /** What mends it; null where there is nothing to mend. */
  remedy: Schema.NullOr(Schema.String)
})

const System = Schema.Struct({
  /** Of the process that answers. */
  version: Schema.String,
  environment: Environment,
  /** What `/health/ready` says of the process that answers. */
  readiness: Schema.Union([Ready, NotReady]),
  /** All processes that share the database, in the order of their starts. */
  processes: Schema.Array(Process),
  /** Durable work by kind and state; what there is none of is left out. On Cloudflare: what no Project's object holds. */
  queue: Schema.Array(Queued),
  usage: UsedToday
}).annotate({ identifier: "System" })

/** One look at it. */
export const SystemApi = HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("get", "/v1/system", { success: System }).annotateMerge(
      about(
        readingOwn,
        "The installation: its version, whether it can work, what is queued and used, and the processes that share its database",
        "For owners of the installation's first organization; 403 `insufficient_role` for others."
      )
    )
  )
  .add(
    HttpApiEndpoint.get("findings", "/v1/system/findings", {
      success: Schema.Struct({ items: Schema.Array(Found) })
    }).annotateMerge(
      about(
        readingOwn,
        "What the machine of the process that answers offers and lacks: the findings of `pawl doctor`",
        "Looked at anew for each question, which takes seconds. None on Cloudflare, where there is no machine. For owners of the installation's first organization; 403 `insufficient_role` for others."
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "The installation itself")
