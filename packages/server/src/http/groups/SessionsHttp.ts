/** One's sessions. */
import { Effect, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { endFor, list } from "@pawl/core/access/Sessions"
import { offerBy } from "@pawl/core/access/SignInCodes"
import { find } from "@pawl/core/ledger/Decision"
import type { Session } from "@pawl/core/model/SignIn"
import * as Time from "@pawl/core/primitives/Time"
import { CurrentUser } from "../../api/Authentication.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { ApiSettings } from "../ApiSettings.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { IdentityProvider, NoSignInLink } from "../IdentityProvider.ts"

/** A session as it is answered: what its cookie is compared with stays here. */
const withoutHash = ({ hash: _hash, ...session }: Session) => session

/** Handlers of `sessions`. */
export const SessionsHttp = HttpApiBuilder.group(PawlApi, "sessions", (handlers) =>
  handlers
    .handle("current", () =>
      answering(
        Effect.gen(function* () {
          const { token, user } = yield* CurrentUser
          const session = yield* find("session", token.id)
          const { environment } = yield* ApiSettings
          const after = yield* Time.nowMillis
          return { session: session === null ? null : withoutHash(session.record), user, environment, after }
        })
      )
    )
    .handle("list", () =>
      answering(
        Effect.gen(function* () {
          const { user } = yield* CurrentUser
          return { items: (yield* list(user.id)).map(withoutHash), nextCursor: null }
        })
      )
    )
    .handle("link", () =>
      answering(
        Effect.gen(function* () {
          if ((yield* IdentityProvider) !== null) return yield* new NoSignInLink()
          const { expiresAt, text } = yield* offerBy(yield* CurrentUser)
          const { origin = "" } = yield* ApiSettings
          return { link: `${origin}/#login=${Redacted.value(text)}`, expiresAt }
        })
      )
    )
    .handle("revoke", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const { user } = yield* CurrentUser
          yield* endFor(user.id, params.id)
          return HttpServerResponse.empty({ status: 204 })
        })
      )
    )
)
