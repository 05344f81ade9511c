/** Signed statements of what was promoted and released, their log, and the keys that sign them. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Limits } from "@pawl/core/primitives/Limits"
import { SigningKey } from "@pawl/core/model/SigningKey"
import { Signature } from "@pawl/core/model/Statement"
import { Authenticated } from "../Authentication.ts"
import { envelopeForms, EnvelopeQuery, envelopeType } from "../EnvelopeFormat.ts"
import { about, reading } from "../Needs.ts"
import { ById, queryNumber } from "../PageParams.ts"

/** Of many: JSON lines. */
export const bundleType = "application/vnd.in-toto.bundle"

const EnvelopeRecord = Schema.Struct({
  payloadType: Schema.String,
  /** Base64: an in-toto Statement v1. */
  payload: Schema.String,
  signatures: Schema.Array(Signature)
}).annotate({ identifier: "Envelope" })

const text = (description: string, contentType: string) =>
  Schema.String.annotate({ description }).pipe(HttpApiSchema.asText({ contentType }))

/** Statements and checkpoints of a Project. */
export const StatementsApi = HttpApiGroup.make("statements")
  .add(
    HttpApiEndpoint.get("statement", "/v1/projects/:id/versions/:n/statement", {
      params: Schema.Struct({ ...ById.fields, n: Schema.String }),
      query: EnvelopeQuery,
      success: text("a DSSE envelope, or with `format=bundle` a Sigstore bundle v0.3, both JSON", envelopeType)
    }).annotateMerge(
      about(
        reading,
        "The signed statement of a generation's promotion",
        `A DSSE envelope around an in-toto Statement v1. ${envelopeForms} 404 \`no_statement\` where none tells of it, 409 \`statement_unsigned\` until it is signed.`
      )
    )
  )
  .add(
    HttpApiEndpoint.get("statements", "/v1/projects/:id/statements", {
      params: ById,
      query: Schema.Struct({
        /** The entry after which to begin; without it the first is the first. */
        after: Schema.optionalKey(queryNumber(0, Number.MAX_SAFE_INTEGER))
      }),
      success: text("DSSE envelopes, one to a line", bundleType)
    }).annotateMerge(
      about(
        reading,
        "All signed statements of a Project, in order",
        `At most ${Limits.statementsPerBatch} lines: ask again after the last. An answer without a line is the end.`
      )
    )
  )
  .add(
    HttpApiEndpoint.get("checkpoint", "/v1/projects/:id/checkpoint", {
      params: ById,
      success: text("a signed note (c2sp.org/tlog-checkpoint)", "text/plain; charset=utf-8")
    }).annotateMerge(
      about(reading, "The newest checkpoint of a Project's log", "404 `no_checkpoint` before the first.")
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Signed statements of what was done")

/** Public keys. Anyone may ask. */
export const KeysApi = HttpApiGroup.make("keys")
  .add(
    HttpApiEndpoint.get("keys", "/v1/keys", {
      success: Schema.Struct({
        /** In the order in which they were introduced. */
        keys: Schema.Array(SigningKey.annotate({ identifier: "SigningKey" })),
        /**
         * The statements that introduced, retired and revoked them: each signed by the key before. With a token that may
         * read, those of approvers' passkeys too, which are entries of the same chain.
         */
        history: Schema.Array(EnvelopeRecord),
        /** The newest checkpoint over those, a signed note (C2SP); null before the first. */
        checkpoint: Schema.NullOr(Schema.String)
      })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "The public keys that sign statements, and their history",
        description:
          "Compare the first key with what the operator tells elsewhere. Needs no token; with one that has the scope `read`, the entries of the history that enrol and remove approvers' passkeys are told too, and its links are whole."
      })
    )
  )
  .annotate(OpenApi.Description, "Public keys")
