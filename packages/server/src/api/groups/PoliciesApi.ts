/** The Policy of a Project: which risks people must approve, and which may go out by themselves. */
import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ChangeStatus, RiskTier } from "@pawl/core/model/Change"
import { InvalidField } from "@pawl/core/ledger/Refusals"
import { EvidenceReuse, LanePolicy } from "@pawl/core/model/Policy"
import { CandidateId, ChangeId, UserId } from "@pawl/core/primitives/Ids"
import { Limits } from "@pawl/core/primitives/Limits"
import { CheckId } from "@pawl/core/project/PawlFile"
import { ServerLimits } from "../../ServerLimits.ts"
import { Int } from "../DocumentSchemas.ts"
import { Authenticated } from "../Authentication.ts"
import { Moment } from "../Moments.ts"
import { about, administering, BodyNeeded, reading } from "../Needs.ts"
import { SentOutsideAgents, storedFields } from "../OutsideAgentsWords.ts"
import { ById, PageParams, pageOf } from "../PageParams.ts"
import { PolicyRecord } from "../RecordSchemas.ts"
import { keepingOthers, namesOf, unknownOf } from "../UnknownFields.ts"

const PolicyAnswer = Schema.Struct({ policy: PolicyRecord })

const ChangedPolicy = Schema.Struct({
  ...PolicyAnswer.fields,
  /** Fields that were sent and that nobody knows, such as `packages.minAgeDay`: they are no rule. Not there for none. */
  ignored: Schema.optionalKey(Schema.Array(Schema.String))
})

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
  until: Moment,
  because: Schema.optionalKey(Schema.Literal("flaky"))
})

const Freezes = Schema.Array(
  Schema.Struct({
    from: Moment,
    until: Moment,
    reason: Schema.String.check(
      Schema.isMinLength(1, { expected: "a string at least 1 character(s) long" }),
      Schema.isMaxLength(
        Limits.freezeReasonLength,
        words(
          `maxLength(${Limits.freezeReasonLength})`,
          `a string at most ${Limits.freezeReasonLength} character(s) long`
        )
      )
    ),
    except: Schema.optionalKey(Schema.Array(UserId).check(atMost(Limits.freezeExceptions)))
  })
).check(atMost(Limits.freezesPerPolicy))

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

/** Without it the lane is off. */
const Lane = Schema.Struct({
  mode: LanePolicy.fields.mode,
  depth: Schema.optionalKey(
    Schema.Int.check(
      Schema.isBetween(
        { minimum: 1, maximum: Limits.laneDepth },
        words(`between(1, ${Limits.laneDepth})`, `a number between 1 and ${Limits.laneDepth}`)
      )
    )
  ),
  carryApprovals: LanePolicy.fields.carryApprovals,
  holdAfterRollback: LanePolicy.fields.holdAfterRollback
})

/** The whole Policy is replaced: a field that is left out is as it is in a new Project. */
const PolicyBody = Schema.Struct({
  autoPromoteRiskTiers: Schema.optionalKey(Tiers),
  approvalRiskTiers: Schema.optionalKey(Tiers),
  approvalsSigned: Schema.optionalKey(Tiers),
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
  packages: Schema.optionalKey(keepingOthers(Packages)),
  flakeRetries: Schema.optionalKey(Schema.Literals([0, 1])),
  freezes: Schema.optionalKey(Freezes),
  lane: Schema.optionalKey(keepingOthers(Lane)),
  evidenceReuse: Schema.optionalKey(EvidenceReuse),
  outsideAgents: Schema.optionalKey(SentOutsideAgents),
  waivedChecks: Schema.optionalKey(Schema.Array(WaivedCheck).check(atMost(Limits.checksPerPlan)))
})

const PolicyRequest = keepingOthers(
  Schema.Struct({
    ...PolicyBody.fields,
    /** The version that was changed. 409 `stale` when another one is in force by now. */
    expectedVersion: Schema.optionalKey(Int)
  })
)

const known = {
  policy: new Set([...namesOf(PolicyBody.fields), "expectedVersion"]),
  packages: namesOf(Packages.fields),
  lane: namesOf(Lane.fields)
}

/** The fields of a body that nobody knows, the first of them. */
export const unknownFields = (sent: { readonly packages?: object; readonly lane?: object }): ReadonlyArray<string> =>
  [
    ...unknownOf(sent, known.policy),
    ...unknownOf(sent.packages ?? {}, known.packages, "packages."),
    ...unknownOf(sent.lane ?? {}, known.lane, "lane.")
  ].slice(0, Limits.pathsNamed)

const toSend =
  "send the fields of the Policy themselves, as GET answers them within `policy`. {} is the Policy of a new Project."

/** Whether it is the whole answer of GET: all of it is within a field that nobody knows, and what stands would be gone. */
const isNoPolicy = (sent: object): boolean => {
  const names = Object.keys(sent).filter((name) => name !== "expectedVersion")
  return names.length === 1 && "policy" in sent && typeof sent.policy === "object"
}

/** Refuses the whole answer of GET, which says nothing of a Policy where one is to stand; `{}` is one. */
export const demandPolicy = (sent: object): Effect.Effect<void, InvalidField> =>
  isNoPolicy(sent)
    ? Effect.fail(
        new InvalidField({
          code: "invalid_field",
          field: unknownFields(sent)[0] ?? "",
          reason: `it is the whole answer of GET; ${toSend.slice(0, -1)}`
        })
      )
    : Effect.void

const decodeBody = Schema.decodeUnknownEffect(PolicyBody)

/** What a body says that is known, in the words that are stored. */
export const knownFields = (sent: unknown) => Effect.map(decodeBody(sent), storedFields)

const OutcomeJson = Schema.Struct({
  policyVersion: Schema.Finite,
  riskTier: RiskTier,
  /** How many people must approve, 0 for none; and how many of those who did would count. */
  approvals: Schema.Struct({ owed: Schema.Finite, given: Schema.Finite }),
  /** Ids of the checks that must pass. */
  checks: Schema.Array(Schema.String),
  /** Why it is not promoted whoever approves it. */
  blocks: Schema.Array(
    Schema.Struct({ code: Schema.Literals(["check_gap", "packages_refused", "frozen"]), detail: Schema.String })
  ),
  /** Whether it goes out without a person. */
  promotesItself: Schema.Boolean
})

const BacktestAnswer = Schema.Struct({
  /** The Policy in force, which stays. */
  policyVersion: Schema.Finite,
  /** The newest Changes, the newest first. */
  items: Schema.Array(
    Schema.Struct({
      changeId: ChangeId,
      goal: Schema.String,
      status: ChangeStatus,
      /** The Candidate that was looked at; null where none was judged by the gate. */
      candidateId: Schema.NullOr(CandidateId),
      /** What it became; null while it is not promoted. */
      generation: Schema.NullOr(Schema.Finite),
      /** Under the Policy that it was planned by. */
      was: Schema.NullOr(OutcomeJson),
      /** Under the draft. */
      would: Schema.NullOr(OutcomeJson),
      /** What the draft changes for it, each with its reason in words; empty for nothing. */
      differences: Schema.Array(
        Schema.Struct({
          code: Schema.Literals([
            "approvals",
            "checks",
            "blocked",
            "not_blocked",
            "auto_promoted",
            "not_auto_promoted"
          ]),
          reason: Schema.String
        })
      ),
      /** In words, what of it is not recorded. */
      unsure: Schema.Array(Schema.String)
    })
  ),
  /** As of a Policy that is put. */
  ignored: Schema.optionalKey(Schema.Array(Schema.String))
})

/** Reading the one in force, trying a draft, and putting the next version in its place. */
export const PoliciesApi = HttpApiGroup.make("policies")
  .add(
    HttpApiEndpoint.get("get", "/v1/projects/:id/policy", { params: ById, success: PolicyAnswer }).annotateMerge(
      about(
        reading,
        "The Policy in force",
        "The answer has an `ETag`: sent as `If-Match` with the next Policy, it makes sure that nobody else changed it meanwhile."
      )
    )
  )
  .add(
    HttpApiEndpoint.get("versions", "/v1/projects/:id/policy/versions", {
      params: ById,
      query: PageParams,
      success: pageOf(PolicyRecord)
    }).annotateMerge(about(reading, "All Policies that there were, the one in force first"))
  )
  .add(
    HttpApiEndpoint.put("put", "/v1/projects/:id/policy", {
      params: ById,
      payload: PolicyRequest,
      success: ChangedPolicy
    })
      .annotate(BodyNeeded, toSend)
      .annotateMerge(
        about(
          administering,
          "Change the Policy",
          "Stored as version + 1. Candidates planned under an older version must be asked for anew. Fields that nobody knows are ignored, and `ignored` names them. A body that is empty, or is the whole answer of GET, is 400 and changes nothing; `{}` is the Policy of a new Project. With `expectedVersion`, 409 `stale` when somebody else changed it meanwhile; with `If-Match`, 412 `precondition_failed`."
        )
      )
  )
  .add(
    HttpApiEndpoint.post("backtest", "/v1/projects/:id/policy/backtest", {
      params: ById,
      payload: keepingOthers(PolicyBody),
      success: BacktestAnswer
    })
      .annotate(BodyNeeded, toSend)
      .annotateMerge(
        about(
          administering,
          "What a draft of the Policy would have done to the last Changes",
          `Of the newest ${Limits.backtestChanges}: whether it would have asked for other approvals or checks, blocked it, or let it go out by itself, and why. The draft is refused where the Policy would be. Nothing is stored.`
        )
      )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Policies")
