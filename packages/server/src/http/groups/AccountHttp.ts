/** The caller, and the caller's tokens. */
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { entriesOf } from "@pawl/core/access/Departures"
import { InsufficientRole, InsufficientScope, requireRole, roleOf } from "@pawl/core/access/Access"
import { revokeFor } from "@pawl/core/access/Keepers"
import { covers, type Role, type Scope, type Token } from "@pawl/core/model/Membership"
import { list as organizationsOf } from "@pawl/core/access/Organizations"
import { type Credential, issue, list } from "@pawl/core/access/Tokens"
import { CurrentUser } from "../../api/Authentication.ts"
import type { Need } from "../../api/Needs.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { endpoints } from "../request/Endpoints.ts"
import { answering } from "../answer/HandlerAnswer.ts"

/** A token as it is answered: what its text is compared with stays here. */
export const withoutHash = ({ hash: _hash, ...token }: Token) => token

/** What counts as a token is told as one: its id names no token, and is told apart from all others. */
const asToken = ({ id, ...credential }: Credential): Pick<Token, "id" | "name" | "scopes" | "expiresAt"> => ({
  ...credential,
  id: `tok_${id.slice("tok_".length)}`
})

/** Why a caller may not, in the words of the refusal; null where they may. */
const against = ({ role: needed, scope }: Need, held: Role | null, scopes: ReadonlyArray<Scope>): string | null => {
  if (!scopes.includes(scope)) return new InsufficientScope({ held: scopes, needed: scope }).message
  return needed === null || held === null || covers(held, needed)
    ? null
    : new InsufficientRole({ held, needed }).message
}

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
    .handle("capabilities", ({ query }) =>
      answering(
        Effect.gen(function* () {
          const { user, token } = yield* CurrentUser
          const projectId = query.projectId ?? null
          const role =
            projectId === null ? null : yield* roleOf(user.id, yield* requireRole(user.id, projectId, "viewer"))
          const items = endpoints.flatMap(({ method, name, need, path }) => {
            if (need === null || (need.role === null) !== (projectId === null)) return []
            const reason = against(need, role, token.scopes)
            return [{ operation: name, method, path, may: reason === null, reason }]
          })
          return { projectId, role, items }
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
