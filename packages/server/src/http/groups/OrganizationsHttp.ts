/** Organizations and their members. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { listOfOrganization, replaceOfOrganization } from "@pawl/core/access/Members"
import { create, list } from "@pawl/core/access/Organizations"
import { CurrentUser } from "../../api/Authentication.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { ifMatch } from "../answer/Validators.ts"
import { pageOfMembers } from "./MembersHttp.ts"
import { onOrganization } from "../request/Reach.ts"

/** Handlers of `organizations`: seen by their members, changed by their owners. */
export const OrganizationsHttp = HttpApiBuilder.group(PawlApi, "organizations", (handlers) =>
  handlers
    .handle("create", ({ payload }) =>
      answering(
        Effect.gen(function* () {
          const { user } = yield* CurrentUser
          return { organization: { ...(yield* create(user.id, payload.name)), role: "owner" as const } }
        })
      )
    )
    .handle("list", ({ query }) => answering(Effect.flatMap(CurrentUser, ({ user }) => list(user.id, query))))
    .handle("members", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const place = yield* onOrganization(params.id)
          return yield* pageOfMembers((yield* listOfOrganization(place.organizationId)).map((each) => each.record))
        })
      )
    )
    .handle("putMembers", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const place = yield* onOrganization(params.id)
          const { token } = yield* CurrentUser
          const { organizationId } = place
          return yield* pageOfMembers(
            yield* replaceOfOrganization(organizationId, payload.members, token, yield* ifMatch)
          )
        })
      )
    )
)
