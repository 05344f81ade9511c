/** The caller, and the caller's tokens. */
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { entriesOf } from "@pawl/core/access/Departures"
import { revokeFor } from "@pawl/core/access/Keepers"
import type { Token } from "@pawl/core/model/Membership"
import { list as organizationsOf } from "@pawl/core/access/Organizations"
import { type Credential, issue, list } from "@pawl/core/access/Tokens"
import { CurrentUser } from "../../api/Authentication.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"

/** A token as it is answered: what its text is compared with stays here. */
export const withoutHash = ({ hash: _hash, ...token }: Token) => token

/** What counts as a token is told as one: its id names no token, and is told apart from all others. */
const asToken = ({ id, ...credential }: Credential): Pick<Token, "id" | "name" | "scopes" | "expiresAt"> => ({
  ...credential,
  id: `tok_${id.slice("tok_".length)}`
})

/** Handlers of `account`. The text of a token is in the answer that issues it, and nowhere else. */
export const AccountHttp = HttpApiBuilder.group(PawlApi, "account", (handlers) =>
  handlers
    .handle("me", () =>
      answering(
        Effect.gen(function* () {
          const { user, token } = yield* CurrentUser
          const organizations = yield* organizationsOf(user.id, {})
          return {
            user,
            memberships: yield* entriesOf(user.id),
            organizations: organizations.items,
            token: asToken(token)
          }
        })
      )
    )
    .handle("tokens", ({ query }) =>
      answering(
        Effect.gen(function* () {
          const { user } = yield* CurrentUser
          const page = yield* list(user.id, query)
          return { items: page.items.map((each) => withoutHash(each.record)), nextCursor: page.nextCursor }
        })
      )
    )
    .handle("issueToken", ({ payload }) =>
      answering(
        Effect.gen(function* () {
          const caller = yield* CurrentUser
          const { token, text } = yield* issue(caller.user.id, payload, caller.token)
          return { token: Redacted.value(text), id: token.id }
        })
      )
    )
    .handle("revokeToken", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const { user } = yield* CurrentUser
          const { id, revokedAt } = yield* revokeFor(user.id, params.id)
          return { id, revokedAt: revokedAt ?? "" }
        })
      )
    )
)
