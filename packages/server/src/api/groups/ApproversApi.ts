/** The passkeys with which people sign their decisions. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authenticated } from "../Authentication.ts"
import { about, administeringOwn, readingOwn } from "../Needs.ts"
import { ById, PageParams, pageOf } from "../PageParams.ts"
import { CredentialId, PasskeyAnswer } from "../PasskeyAnswer.ts"
import { ApproverRecord } from "../RecordSchemas.ts"

const NewApproverBody = Schema.Struct({
  credential: CredentialId,
  /** What `getPublicKey()` answers: the SPKI of a P-256 key in DER, base64. */
  publicKey: Schema.String,
  /** `localhost`, or a name that the installation's own host ends with. */
  rpId: Schema.String,
  /** Whose it is; the caller's without it. Owners of the installation's organization may name another user. */
  user: Schema.optionalKey(Schema.String),
  /** The answer of an owner's passkey to this enrolment; all but the first need it. */
  endorsement: Schema.optionalKey(PasskeyAnswer)
})

const ApproverAnswer = Schema.Struct({ approver: ApproverRecord })

/** Enrolling, listing and removing them. */
export const ApproversApi = HttpApiGroup.make("approvers")
  .add(
    HttpApiEndpoint.post("enrol", "/v1/approvers", {
      payload: NewApproverBody,
      success: ApproverAnswer.pipe(HttpApiSchema.status(201))
    }).annotateMerge(
      about(
        administeringOwn,
        "Enrol a passkey (WebAuthn, ES256)",
        "The first must be an owner's own, of the installation's organization. Each later one is endorsed by an owner's passkey: without `endorsement`, 409 `endorsement_required` says what to sign. The same again answers the one that is there."
      )
    )
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/approvers", { query: PageParams, success: pageOf(ApproverRecord) }).annotateMerge(
      about(readingOwn, "The caller's passkeys; for owners of the installation's organization, everybody's")
    )
  )
  .add(
    HttpApiEndpoint.delete("remove", "/v1/approvers/:id", { params: ById, success: ApproverAnswer }).annotateMerge(
      about(
        administeringOwn,
        "Remove a passkey",
        "One's own, or as an owner anybody's. What it signed counts no longer for Candidates that are not promoted yet. 409 `last_endorser` for the only one of an owner."
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Approvers")
