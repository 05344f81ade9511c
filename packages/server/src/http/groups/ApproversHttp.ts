/** Passkeys of approvers. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { enrol, list, remove } from "@pawl/core/approval/Approvers"
import { CurrentUser } from "../../api/Authentication.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"

const told = (what: string, facts: { readonly credential: string; readonly user: string; readonly by: string }) =>
  Effect.annotateLogs(Effect.logInfo(what), facts)

/** Handlers of `approvers`. Who asks is the caller; for whom, an owner may say. */
export const ApproversHttp = HttpApiBuilder.group(PawlApi, "approvers", (handlers) =>
  handlers
    .handle("enrol", ({ payload }) =>
      answering(
        Effect.gen(function* () {
          const { user } = yield* CurrentUser
          const approver = yield* enrol(user.id, payload)
          yield* told("passkey enrolled", { credential: approver.credential, user: approver.user, by: user.id })
          return { approver }
        })
      )
    )
    .handle("list", ({ query }) => answering(Effect.flatMap(CurrentUser, ({ user }) => list(user.id, query))))
    .handle("remove", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const { user } = yield* CurrentUser
          const approver = yield* remove(user.id, params.id)
          yield* told("passkey removed", { credential: approver.credential, user: approver.user, by: user.id })
          return { approver }
        })
      )
    )
)
