/** Who calls: a bearer token or a session, looked up at each request. Everything but `/health` and the documentation is behind it. */
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import type { Caller } from "@pawl/core/access/Tokens"
import { problem } from "./Problem.ts"

/** The caller. Actors of approvals and promotions come from here, never from a body. */
export class CurrentUser extends Context.Service<CurrentUser, Caller>()("@pawl/server/api/CurrentUser") {}

/** Provides the caller; answers 401 without a token that lets anybody in. */
export class Authenticated extends HttpApiMiddleware.Service<Authenticated, { provides: CurrentUser }>()(
  "@pawl/server/api/Authenticated",
  {
    error: problem(401),
    security: {
      bearer: HttpApiSecurity.http({ scheme: "bearer" }).pipe(
        HttpApiSecurity.annotate(
          OpenApi.Description,
          "An API token, `pawl_…`, or a JWT of the provider of identities. Browsers may come with the cookie `__Host-pawl` of a session instead."
        )
      )
    }
  }
) {}
