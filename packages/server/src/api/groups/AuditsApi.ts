/** Audits: a second look at a Project's whole history. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Audit } from "@pawl/core/model/Audit"
import { Authenticated } from "../Authentication.ts"
import { about, reading, writing } from "../Needs.ts"
import { NonNegativeInt } from "../DocumentSchemas.ts"
import { ById } from "../PageParams.ts"

const AuditRecord = Audit.annotate({ identifier: "Audit" })
const AuditAnswer = Schema.Struct({ audit: AuditRecord })

const RebuildBody = Schema.Struct({
  /** Which generation; without it the newest. */
  generation: Schema.optionalKey(NonNegativeInt)
})
const RebuildAnswer = Schema.Struct({
  rebuild: Schema.Struct({
    /** The generation that will be built again. */
    generation: Schema.Finite
  })
})

/** Asking for one, and reading what the last one found. */
export const AuditsApi = HttpApiGroup.make("audits")
  .add(
    HttpApiEndpoint.post("run", "/v1/projects/:id/audit", { params: ById, success: AuditAnswer }).annotateMerge(
      about(
        writing,
        "Audit a Project now",
        "Derives every generation's tree anew and checks Evidence, approvals, Policy and history against it. Answers when it is done; every difference is named. 409 `project_archived`."
      )
    )
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/projects/:id/audit", { params: ById, success: AuditAnswer }).annotateMerge(
      about(reading, "The last audit of a Project", "404 `unknown_audit` before the first. There is one each day.")
    )
  )
  .add(
    HttpApiEndpoint.post("rebuild", "/v1/projects/:id/audit/rebuild", {
      params: ById,
      payload: RebuildBody,
      success: RebuildAnswer.pipe(HttpApiSchema.status(202))
    }).annotateMerge(
      about(
        writing,
        "Build a generation again",
        "Asks for an audit that builds a generation again, from its sources and its lock, and compares the bytes with those that are kept. It counts to the day's builds. `rebuild` of the last audit says what it found: the first file that differs. 404 `unknown_generation`, 409 `project_archived`."
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Audits")
