/** Organizations, their members, and the users that owners make. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { OrganizationRole, Scope } from "@pawl/core/access/Membership"
import { Schema } from "effect"
import { Authenticated } from "./Authentication.ts"
import { Moment } from "./Moments.ts"
import { about, administeringOwn, readingOwn } from "./Needs.ts"
import { ById, PageParams, pageOf } from "./Paging.ts"
import { OrganizationMemberRecord, OrganizationRecord, UserRecord } from "./Records.ts"

export const NewOrganizationBody = Schema.Struct({ name: Schema.String })

export const OrganizationMembersBody = Schema.Struct({
  members: Schema.Array(Schema.Struct({ userId: Schema.String, role: OrganizationRole }))
})

export const NewUserBody = Schema.Struct({
  name: Schema.String,
  /** Where the user becomes a member; without it, nowhere yet. */
  organizationId: Schema.optionalWith(Schema.String, { exact: true }),
  /** There; default `member`. An owner is made by a token with all scopes only. */
  role: Schema.optionalWith(OrganizationRole, { exact: true }),
  /** Of the user's first token. Default: those of the token that asks. Never more than those. */
  scopes: Schema.optionalWith(Schema.Array(Scope), { exact: true }),
  /** Of the user's first token. Default: when the token that asks ends, else never. Never later than that. */
  expiresAt: Schema.optionalWith(Moment, { exact: true })
})

export const OrganizationsApi = HttpApiGroup.make("organizations")
  .add(
    HttpApiEndpoint.post("create", "/v1/organizations")
      .setPayload(NewOrganizationBody)
      .addSuccess(Schema.Struct({ organization: OrganizationRecord }), { status: 201 })
      .annotateContext(about(administeringOwn, "Make an organization", "The caller becomes its owner."))
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/organizations")
      .setUrlParams(PageParams)
      .addSuccess(pageOf(OrganizationRecord))
      .annotateContext(about(readingOwn, "The caller's organizations, with the caller's role"))
  )
  .add(
    HttpApiEndpoint.get("members", "/v1/organizations/:id/members")
      .setPath(ById)
      .addSuccess(pageOf(OrganizationMemberRecord))
      .annotateContext(about(readingOwn, "The members of an organization, in one page"))
  )
  .add(
    HttpApiEndpoint.put("putMembers", "/v1/organizations/:id/members")
      .setPath(ById)
      .setPayload(OrganizationMembersBody)
      .addSuccess(pageOf(OrganizationMemberRecord))
      .annotateContext(
        about(
          administeringOwn,
          "Replace the members of an organization",
          "Only owners may, and one owner stays. Who makes another owner needs a token with all scopes. In force with the next request."
        )
      )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Organizations")

export const UsersApi = HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.post("create", "/v1/users")
      .setPayload(NewUserBody)
      .addSuccess(Schema.Struct({ user: UserRecord, token: Schema.String }), { status: 201 })
      .annotateContext(
        about(
          administeringOwn,
          "Make a local user",
          "Only owners of an organization may. The user's first token is shown once; it can do no more than the token that asks."
        )
      )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Users")
