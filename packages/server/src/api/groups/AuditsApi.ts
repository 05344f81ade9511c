/** Audits: a second look at a Project's whole history. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Audit } from "@pawl/core/model/Audit"
import { Authenticated } from "../Authentication.ts"
import { about, reading, writing } from "../Needs.ts"
import { ById } from "../PageParams.ts"

const AuditRecord = Audit.annotate({ identifier: "Audit" })
const AuditAnswer = Schema.Struct({ audit: AuditRecord })

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
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Audits")
