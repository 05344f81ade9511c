/** Local users. */
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { disable } from "@pawl/core/access/Keepers"
import { list as organizationsOf, requirePlace } from "@pawl/core/access/Organizations"
import { list as tokensOf } from "@pawl/core/access/Tokens"
import { create, list } from "@pawl/core/access/Users"
import { CurrentUser } from "../../api/Authentication.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { withoutHash } from "./AccountHttp.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { onUser } from "../request/Reach.ts"

/** The organization that is named, else the caller's first; null without any. */
const organizationOf = Effect.fnUntraced(function* (named: string | undefined) {
  const { user } = yield* CurrentUser
  if (named !== undefined) return (yield* requirePlace(user.id, named, "member")).organizationId
  return (yield* organizationsOf(user.id, { limit: 1 })).items[0]?.id ?? null
})

/** Handlers of `users`. A new user's token is in the answer that makes it, and nowhere else. */
export const UsersHttp = HttpApiBuilder.group(PawlApi, "users", (handlers) =>
  handlers
    .handle("create", ({ payload }) =>
      answering(
        Effect.gen(function* () {
          const caller = yield* CurrentUser
          const { user, text } = yield* create(caller.user.id, payload, caller.token)
          return { user, token: Redacted.value(text) }
        })
      )
    )
    .handle("list", ({ query: { organizationId, ...page } }) =>
      answering(
        Effect.gen(function* () {
          const organization = yield* organizationOf(organizationId)
          return organization === null ? { items: [], nextCursor: null } : yield* list(organization, page)
        })
      )
    )
    .handle("disable", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const { id } = yield* onUser(params.id)
          const { user } = yield* CurrentUser
          const disabled = yield* disable(id, user.id)
          yield* Effect.annotateLogs(Effect.logInfo("user disabled"), { userId: id, by: user.id })
          return { user: disabled }
        })
      )
    )
    .handle("tokens", ({ params, query }) =>
      answering(
        Effect.gen(function* () {
          const { id } = yield* onUser(params.id)
          const page = yield* tokensOf(id, query)
          return { items: page.items.map((each) => withoutHash(each.record)), nextCursor: page.nextCursor }
        })
      )
    )
)
