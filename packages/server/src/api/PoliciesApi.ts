/** The Policy of a Project: which risks people must approve, and which may go out by themselves. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RiskTier } from "@pawl/core/change/Change"
import { Limits } from "@pawl/core/primitives/Limits"
import { Authenticated } from "./Authentication.ts"
import { Moment } from "./Moments.ts"
import { about, administering, reading } from "./Needs.ts"
import { ById } from "./Paging.ts"
import { PolicyRecord } from "./Records.ts"

export const PolicyAnswer = Schema.Struct({ policy: PolicyRecord })

const CheckId = Schema.String.check(
  Schema.isPattern(/^[a-z0-9-]{1,64}$/, { message: "a check id is 1 to 64 of a-z, 0-9 and -" })
)
const Tiers = Schema.Array(RiskTier).check(Schema.isMaxLength(RiskTier.literals.length))
const WaivedCheck = Schema.Struct({
  id: CheckId,
  reason: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1000)),
  until: Moment
})

/** The whole Policy is replaced: a field that is left out is as it is in a new Project. */
export const PolicyBody = Schema.Struct({
  autoPromoteRiskTiers: Schema.optionalKey(Tiers),
  approvalRiskTiers: Schema.optionalKey(Tiers),
  requiredChecks: Schema.optionalKey(Schema.Array(CheckId).check(Schema.isMaxLength(Limits.checksPerPlan))),
  allowSelfApproval: Schema.optionalKey(Schema.Boolean),
  approvalsRequired: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Limits.approvalsRequiredMax }))
  ),
  baseChecksMustPass: Schema.optionalKey(Schema.Boolean),
  waivedChecks: Schema.optionalKey(Schema.Array(WaivedCheck).check(Schema.isMaxLength(Limits.checksPerPlan)))
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
