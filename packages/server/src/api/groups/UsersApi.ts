/** The users that owners make, and what becomes of them. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { OrganizationRole, Scope } from "@pawl/core/model/Membership"
import { Authenticated } from "../Authentication.ts"
import { Moment } from "../Moments.ts"
import { about, administeringOwn, readingOwn } from "../Needs.ts"
import { ById, PageParams, pageOf } from "../PageParams.ts"
import { PersonRecord, TokenRecord, UserRecord } from "../RecordSchemas.ts"

const NewUserBody = Schema.Struct({
  name: Schema.String,
  /** Where the user becomes a member; without it, nowhere yet. */
  organizationId: Schema.optionalKey(Schema.String),
  /** There; default `member`. An owner is made by a token with all scopes only. */
  role: Schema.optionalKey(OrganizationRole),
  /** Of the user's first token. Default: those of the token that asks. Never more than those. */
  scopes: Schema.optionalKey(Schema.Array(Scope)),
  /** Of the user's first token. Default: when the token that asks ends, else never. Never later than that. */
  expiresAt: Schema.optionalKey(Moment)
})

const UsersParams = Schema.Struct({
  ...PageParams.fields,
  /** Default: the caller's first. */
  organizationId: Schema.optionalKey(Schema.String)
})

const keepers =
  "Only owners of every organization that the user is in may, and of the one that made the user: else remove them from yours."

/** Making, listing and disabling them, and their tokens: for owners of organizations, listing for their members too. */
export const UsersApi = HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.post("create", "/v1/users", {
      payload: NewUserBody,
      success: Schema.Struct({ user: UserRecord, token: Schema.String }).pipe(HttpApiSchema.status(201))
    }).annotateMerge(
      about(
        administeringOwn,
        "Make a local user",
        "Only owners of an organization may. The user's first token is shown once; it can do no more than the token that asks."
      )
    )
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/users", { query: UsersParams, success: pageOf(PersonRecord) }).annotateMerge(
      about(readingOwn, "The users of an organization, in the order in which they came")
    )
  )
  .add(
    HttpApiEndpoint.delete("disable", "/v1/users/:id", {
      params: ById,
      success: Schema.Struct({ user: UserRecord }).pipe(HttpApiSchema.status(202))
    }).annotateMerge(
      about(
        administeringOwn,
        "Disable a user",
        `No token, stream or git access of theirs is good for anything from the next request on, and they have left every organization. ${keepers}`
      )
    )
  )
  .add(
    HttpApiEndpoint.get("tokens", "/v1/users/:id/tokens", {
      params: ById,
      query: PageParams,
      success: pageOf(TokenRecord)
    }).annotateMerge(
      about(
        administeringOwn,
        "The tokens of a user, oldest first, without what they are made of",
        `One's own, too. ${keepers}`
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Users")
