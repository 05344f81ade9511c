/** The caller, and the caller's own tokens. */
import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Role, Scope, Token } from "@pawl/core/model/Membership"
import { Authenticated } from "../Authentication.ts"
import { Moment } from "../Moments.ts"
import { about, administeringOwn, readingOwn } from "../Needs.ts"
import { ById, PageParams, pageOf } from "../PageParams.ts"
import { EntryRecord, OrganizationRecord, TokenRecord, UserRecord } from "../RecordSchemas.ts"

const Me = Schema.Struct({
  user: UserRecord,
  /** Entries on Projects. Roles that come from an organization are not among them. */
  memberships: Schema.Array(EntryRecord),
  organizations: Schema.Array(OrganizationRecord),
  /** The token that asks, or what counts as one: a session of a browser, a token of the provider of identities. */
  token: Token.mapFields(Struct.pick(["id", "name", "scopes", "expiresAt"]))
}).annotate({ identifier: "Me" })

const Capability = Schema.Struct({
  /** As the document names it: `candidates.promote`. */
  operation: Schema.String,
  method: Schema.String,
  path: Schema.String,
  may: Schema.Boolean,
  /** Why not, in words; null where the caller may. */
  reason: Schema.NullOr(Schema.String)
})

const Capabilities = Schema.Struct({
  projectId: Schema.NullOr(Schema.String),
  /** The caller's on that Project; null where none is named. */
  role: Schema.NullOr(Role),
  items: Schema.Array(Capability)
}).annotate({ identifier: "Capabilities" })

const NewTokenBody = Schema.Struct({
  name: Schema.String,
  /** Default: when the token that asks ends, else never. */
  expiresAt: Schema.optionalKey(Moment),
  /** Default: those of the token that asks. Never more than those. */
  scopes: Schema.optionalKey(Schema.Array(Scope))
})

/** Who calls, and the tokens that it may see, issue and revoke. A token sees and issues only tokens of its own user. */
export const AccountApi = HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("me", "/v1/me", { success: Me }).annotateMerge(
      about(readingOwn, "Who calls, and where the caller belongs")
    )
  )
  .add(
    HttpApiEndpoint.get("capabilities", "/v1/me/capabilities", {
      query: Schema.Struct({ projectId: Schema.optionalKey(Schema.String) }),
      success: Capabilities
    }).annotateMerge(
      about(
        readingOwn,
        "What the caller's role and token allow",
        "With `projectId` of operations on that Project, without it of all others. Whether the state allows it is judged when it is done, and so is the role."
      )
    )
  )
  .add(
    HttpApiEndpoint.get("tokens", "/v1/tokens", { query: PageParams, success: pageOf(TokenRecord) }).annotateMerge(
      about(readingOwn, "The caller's tokens, oldest first, without what they are made of")
    )
  )
  .add(
    HttpApiEndpoint.post("issueToken", "/v1/tokens", {
      payload: NewTokenBody,
      success: Schema.Struct({ token: Schema.String, id: Schema.String }).pipe(HttpApiSchema.status(201))
    }).annotateMerge(about(administeringOwn, "Issue a token to the caller", "The token is shown once."))
  )
  .add(
    HttpApiEndpoint.delete("revokeToken", "/v1/tokens/:id", {
      params: ById,
      success: Schema.Struct({ id: Schema.String, revokedAt: Schema.String })
    }).annotateMerge(
      about(
        administeringOwn,
        "Revoke a token",
        "One's own, or one of a user that one may disable. In force with the next request."
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "The caller and the caller's tokens")
