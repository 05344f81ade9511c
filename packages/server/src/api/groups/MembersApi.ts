/** Who has which role on a Project. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Role } from "@pawl/core/model/Membership"
import { Authenticated } from "../Authentication.ts"
import { about, administering, reading } from "../Needs.ts"
import { ById, pageOf } from "../PageParams.ts"
import { MemberRecord } from "../RecordSchemas.ts"

const MembersBody = Schema.Struct({
  members: Schema.Array(Schema.Struct({ userId: Schema.String, role: Role }))
})

/** Reading the list, and putting another in its place. */
export const MembersApi = HttpApiGroup.make("members")
  .add(
    HttpApiEndpoint.get("get", "/v1/projects/:id/members", {
      params: ById,
      success: pageOf(MemberRecord)
    }).annotateMerge(
      about(
        reading,
        "The entries of a Project, in one page",
        "Owners of the organization are admins and its other members have the role `member`, unless an entry says otherwise. The answer has an `ETag`: sent as `If-Match` with the next list, it makes sure that nobody else changed it meanwhile."
      )
    )
  )
  .add(
    HttpApiEndpoint.put("put", "/v1/projects/:id/members", {
      params: ById,
      payload: MembersBody,
      success: pageOf(MemberRecord)
    }).annotateMerge(
      about(
        administering,
        "Replace the entries of a Project",
        "In force with the next request. With `If-Match` (RFC 9110) 412 `precondition_failed` when the list is another one."
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Members of a Project")
