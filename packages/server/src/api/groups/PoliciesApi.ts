/** The Policy of a Project: which risks people must approve, and which may go out by themselves. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RiskTier } from "@pawl/core/model/Change"
import { Limits } from "@pawl/core/primitives/Limits"
import { CheckId } from "@pawl/core/project/PawlFile"
import { ServerLimits } from "../../ServerLimits.ts"
import { Authenticated } from "../Authentication.ts"
import { Moment } from "../Moments.ts"
import { about, administering, reading } from "../Needs.ts"
import { ById } from "../PageParams.ts"
import { PolicyRecord } from "../RecordSchemas.ts"

const PolicyAnswer = Schema.Struct({ policy: PolicyRecord })

/** What a value should be: in the document, and to who sent another. */
const words = (title: string, expected: string) => ({ title, description: expected, expected })

const atMost = (items: number) =>
  Schema.isMaxLength(items, words(`maxItems(${items})`, `an array of at most ${items} item(s)`))

const Tiers = Schema.Array(RiskTier).check(atMost(RiskTier.literals.length))
const WaivedCheck = Schema.Struct({
  id: CheckId,
  reason: Schema.String.check(
    Schema.isMinLength(1, { expected: "a string at least 1 character(s) long" }),
    Schema.isMaxLength(
      ServerLimits.waiverReasonLength,
      words(
        `maxLength(${ServerLimits.waiverReasonLength})`,
        `a string at most ${ServerLimits.waiverReasonLength} character(s) long`
      )
    )
  ),
  until: Moment
})

const PackageNames = Schema.Array(Schema.String).check(atMost(Limits.packagesPerPolicy))

/** Names of packages may hold `*`. What is no name is refused by the Policy itself, which says which. */
const Packages = Schema.Struct({
  minAgeDays: Schema.optionalKey(
    Schema.Int.check(
      Schema.isBetween(
        { minimum: 0, maximum: Limits.packageAgeDaysMax },
        words(`between(0, ${Limits.packageAgeDaysMax})`, `a number between 0 and ${Limits.packageAgeDaysMax}`)
      )
    )
  ),
  deny: Schema.optionalKey(PackageNames),
  allow: Schema.optionalKey(PackageNames)
})

/** The whole Policy is replaced: a field that is left out is as it is in a new Project. */
const PolicyBody = Schema.Struct({
  autoPromoteRiskTiers: Schema.optionalKey(Tiers),
  approvalRiskTiers: Schema.optionalKey(Tiers),
  requiredChecks: Schema.optionalKey(Schema.Array(CheckId).check(atMost(Limits.checksPerPlan))),
  allowSelfApproval: Schema.optionalKey(Schema.Boolean),
  approvalsRequired: Schema.optionalKey(
    Schema.Int.check(
      Schema.isBetween(
        { minimum: 1, maximum: Limits.approvalsRequiredMax },
        words(`between(1, ${Limits.approvalsRequiredMax})`, `a number between 1 and ${Limits.approvalsRequiredMax}`)
      )
    )
  ),
  baseChecksMustPass: Schema.optionalKey(Schema.Boolean),
  packages: Schema.optionalKey(Packages),
  waivedChecks: Schema.optionalKey(Schema.Array(WaivedCheck).check(atMost(Limits.checksPerPlan)))
})

/** Reading the one in force, and putting the next version in its place. */
export const PoliciesApi = HttpApiGroup.make("policies")
  .add(
    HttpApiEndpoint.get("get", "/v1/projects/:id/policy", { params: ById, success: PolicyAnswer }).annotateMerge(
      about(reading, "The Policy in force")
    )
  )
  .add(
    HttpApiEndpoint.put("put", "/v1/projects/:id/policy", {
      params: ById,
      payload: PolicyBody,
      success: PolicyAnswer
    }).annotateMerge(
      about(
        administering,
        "Change the Policy",
        "Stored as version + 1. Candidates planned under an older version must be asked for anew."
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Policies")
