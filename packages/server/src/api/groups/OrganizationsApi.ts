/** Organizations and their members. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { OrganizationRole } from "@pawl/core/model/Membership"
import { Authenticated } from "../Authentication.ts"
import { about, administeringOwn, readingOwn } from "../Needs.ts"
import { ById, PageParams, pageOf } from "../PageParams.ts"
import { OrganizationMemberRecord, OrganizationRecord } from "../RecordSchemas.ts"

const NewOrganizationBody = Schema.Struct({ name: Schema.String })

const OrganizationMembersBody = Schema.Struct({
  members: Schema.Array(Schema.Struct({ userId: Schema.String, role: OrganizationRole }))
})

/** Making one, reading it, and who belongs to it. */
export const OrganizationsApi = HttpApiGroup.make("organizations")
  .add(
    HttpApiEndpoint.post("create", "/v1/organizations", {
      payload: NewOrganizationBody,
      success: Schema.Struct({ organization: OrganizationRecord }).pipe(HttpApiSchema.status(201))
    }).annotateMerge(about(administeringOwn, "Make an organization", "The caller becomes its owner."))
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/organizations", {
      query: PageParams,
      success: pageOf(OrganizationRecord)
    }).annotateMerge(about(readingOwn, "The caller's organizations, with the caller's role"))
  )
  .add(
    HttpApiEndpoint.get("members", "/v1/organizations/:id/members", {
      params: ById,
      success: pageOf(OrganizationMemberRecord)
    }).annotateMerge(
      about(
        readingOwn,
        "The members of an organization, in one page",
        "The answer has an `ETag`: sent as `If-Match` with the next list, it makes sure that nobody else changed it meanwhile."
      )
    )
  )
  .add(
    HttpApiEndpoint.put("putMembers", "/v1/organizations/:id/members", {
      params: ById,
      payload: OrganizationMembersBody,
      success: pageOf(OrganizationMemberRecord)
    }).annotateMerge(
      about(
        administeringOwn,
        "Replace the members of an organization",
        "Only owners may, and one owner stays. Who makes another owner needs a token with all scopes. Who is not named any more has left: nothing that they held in its Projects counts, from the next request on. With `If-Match` (RFC 9110) 412 `precondition_failed` when the list is another one."
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Organizations")
