/** Decisions of people on Candidates. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Decision } from "@pawl/core/model/Approval"
import { Authenticated } from "../Authentication.ts"
import { about, approving, reading } from "../Needs.ts"
import { ById, PageParams, pageOf } from "../PageParams.ts"
import { ApprovalRecord } from "../RecordSchemas.ts"

/** The approver is the caller; a body cannot name one. */
const DecisionBody = Schema.Struct({ candidateId: Schema.String, decision: Decision })

/** The decider is always the caller. */
export const ApprovalsApi = HttpApiGroup.make("approvals")
  .add(
    HttpApiEndpoint.get("list", "/v1/changes/:id/approvals", {
      params: ById,
      query: PageParams,
      success: pageOf(ApprovalRecord)
    }).annotateMerge(about(reading, "The decisions on a Change's Candidates, oldest first"))
  )
  .add(
    HttpApiEndpoint.post("approve", "/v1/changes/:id/approve", {
      params: ById,
      payload: DecisionBody,
      success: Schema.Struct({ approval: ApprovalRecord })
    }).annotateMerge(
      about(
        approving,
        "Grant or reject a Candidate",
        "Each person decides once, until as many have granted as the Policy's `approvalsRequired`; one rejection is final. The same again answers the stored decision. 409 `already_decided`, `not_required`; 403 `self_approval`."
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Approvals")
