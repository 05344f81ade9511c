/** Decisions of people on Candidates. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Decision } from "@pawl/core/model/Approval"
import { Authenticated } from "../Authentication.ts"
import { about, approving, reading } from "../Needs.ts"
import { ById, PageParams, pageOf } from "../PageParams.ts"
import { PasskeyAnswer } from "../PasskeyAnswer.ts"
import { ApprovalRecord } from "../RecordSchemas.ts"

/** The approver is the caller; a body cannot name one. */
const DecisionBody = Schema.Struct({
  candidateId: Schema.String,
  decision: Decision,
  /** The answer of the caller's passkey to the challenge of this decision. */
  passkey: Schema.optionalKey(PasskeyAnswer),
  /** What the caller says beside it, in a line. */
  note: Schema.optionalKey(Schema.String)
})

/** What to sign. `text` is canonical JSON; `challenge` its SHA-256. */
const ChallengeAnswer = Schema.Struct({
  text: Schema.String,
  challenge: Schema.String,
  /** The caller's passkeys that count. */
  credentials: Schema.Array(Schema.Struct({ credential: Schema.String, rpId: Schema.String }))
})

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
        "Each person decides once, until as many have granted as the Policy's `approvalsRequired`; one rejection is final. The same again answers the stored decision. 409 `already_decided`, `not_required`; 403 `self_approval`; where the Policy's `approvalsSigned` names the risk, `passkey_required`; `passkey_refused`."
      )
    )
  )
  .add(
    HttpApiEndpoint.get("challenge", "/v1/candidates/:id/approval-challenge", {
      params: ById,
      query: Schema.Struct({ decision: Schema.optionalKey(Decision) }),
      success: ChallengeAnswer
    }).annotateMerge(
      about(
        approving,
        "What the caller's passkey signs to decide on a Candidate",
        "`decision` is `granted` without it. Whoever does not trust this answer compares its tree with their own clone."
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Approvals")
