/** What can be done with releases, and the release target of a Project in development. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ReleaseTarget } from "@pawl/core/model/ReleaseTarget"
import { Authenticated } from "../Authentication.ts"
import { about, administering, reading, writing } from "../Needs.ts"
import { ById } from "../PageParams.ts"
import { EvidenceRecord, ReleaseRecord } from "../RecordSchemas.ts"

const ReleaseTargetRecord = ReleaseTarget.annotate({ identifier: "ReleaseTarget" })
const ReleaseTargetAnswer = Schema.Struct({ releaseTarget: ReleaseTargetRecord })

const ReleaseTargetBody = Schema.Struct({
  workerName: Schema.String,
  /** The build service's own id of the worker. */
  workerTag: Schema.String,
  /** Where the worker answers: scheme and host. */
  url: Schema.String,
  /** The git repository that the build service watches: `https://host/path` or `ssh://user@host/path`. */
  remote: Schema.optionalKey(Schema.NullOr(Schema.String))
})

const injectFailure = HttpApiEndpoint.post("injectFailure", "/v1/projects/:id/releases/inject-failure", {
  params: ById,
  success: Schema.Struct({ release: ReleaseRecord, evidence: EvidenceRecord })
}).annotateMerge(
  about(
    writing,
    "Make the smoke check of the live release fail",
    "Probes the live release as ever, and at one path that no app serves. Neither canonical nor the pointer moves. A repeat answers the same. 403 `fixtures_disabled`, 409 `no_deployed_release`."
  )
)

const developmentOnly = "Only used in development, where a Project has no app of its own."

const get = HttpApiEndpoint.get("get", "/v1/releases/:id", {
  params: ById,
  success: Schema.Struct({ release: ReleaseRecord })
}).annotateMerge(
  about(
    reading,
    "A release",
    "With what its probes saw. Its id is `rel_`, the Project's id, `_` and the generation. A generation that was never to go live has none: 404 `unknown_release`."
  )
)

const getTarget = HttpApiEndpoint.get("getTarget", "/v1/projects/:id/release-target", {
  params: ById,
  success: ReleaseTargetAnswer
}).annotateMerge(about(reading, "The worker that promotions are released to", developmentOnly))

const putTarget = HttpApiEndpoint.put("putTarget", "/v1/projects/:id/release-target", {
  params: ById,
  payload: ReleaseTargetBody,
  success: ReleaseTargetAnswer
}).annotateMerge(
  about(
    administering,
    "Name the worker that promotions are released to",
    `${developmentOnly} A build service must build it from canonical main, which each promotion pushes to \`remote\`.`
  )
)

const deleteTarget = HttpApiEndpoint.delete("deleteTarget", "/v1/projects/:id/release-target", {
  params: ById,
  success: ReleaseTargetAnswer
}).annotateMerge(
  about(administering, "Forget the release target", "A release that is under way there fails at its next step.")
)

/** Failures are injected only where fixtures are enabled. */
export const ReleasesApi = HttpApiGroup.make("releases")
  .add(get)
  .add(injectFailure)
  .add(getTarget)
  .add(putTarget)
  .add(deleteTarget)
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Releases, failure injection, and release targets")
