/** The Policy of a Project: which risks people must approve, and which may go out by themselves. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { RiskTier } from "@pawl/core/change/Change"
import { Limits } from "@pawl/core/primitives/Limits"
import { Schema } from "effect"
import { Authenticated } from "./Authentication.ts"
import { Moment } from "./Moments.ts"
import { about, administering, reading } from "./Needs.ts"
import { ById } from "./Paging.ts"
import { PolicyRecord } from "./Records.ts"

export const PolicyAnswer = Schema.Struct({ policy: PolicyRecord })

const CheckId = Schema.String.pipe(
  Schema.pattern(/^[a-z0-9-]{1,64}$/, { message: () => "a check id is 1 to 64 of a-z, 0-9 and -" })
)
const Tiers = Schema.Array(RiskTier).pipe(Schema.maxItems(RiskTier.literals.length))
const WaivedCheck = Schema.Struct({
  id: CheckId,
  reason: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(1000)),
  until: Moment
})

/** The whole Policy is replaced: a field that is left out is as it is in a new Project. */
export const PolicyBody = Schema.Struct({
  autoPromoteRiskTiers: Schema.optionalWith(Tiers, { exact: true }),
  approvalRiskTiers: Schema.optionalWith(Tiers, { exact: true }),
  requiredChecks: Schema.optionalWith(Schema.Array(CheckId).pipe(Schema.maxItems(Limits.checksPerPlan)), {
    exact: true
  }),
  allowSelfApproval: Schema.optionalWith(Schema.Boolean, { exact: true }),
  approvalsRequired: Schema.optionalWith(
    Schema.Number.pipe(Schema.int(), Schema.between(1, Limits.approvalsRequiredMax)),
    { exact: true }
  ),
  baseChecksMustPass: Schema.optionalWith(Schema.Boolean, { exact: true }),
  waivedChecks: Schema.optionalWith(Schema.Array(WaivedCheck).pipe(Schema.maxItems(Limits.checksPerPlan)), {
    exact: true
  })
})

export const PoliciesApi = HttpApiGroup.make("policies")
  .add(
    HttpApiEndpoint.get("get", "/v1/projects/:id/policy")
      .setPath(ById)
      .addSuccess(PolicyAnswer)
      .annotateContext(about(reading, "The Policy in force"))
  )
  .add(
    HttpApiEndpoint.put("put", "/v1/projects/:id/policy")
      .setPath(ById)
      .setPayload(PolicyBody)
      .addSuccess(PolicyAnswer)
      .annotateContext(
        about(
          administering,
          "Change the Policy",
          "Stored as version + 1. Candidates planned under an older version must be asked for anew."
        )
      )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Policies")
