/** Signing in and out with a browser. What opens a session is in a cookie, and in no answer's body. */
import { Effect, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { userOf } from "@pawl/core/access/Identities"
import * as Sessions from "@pawl/core/access/Sessions"
import { InvalidField } from "@pawl/core/ledger/Refusals"
import { ServerLimits } from "../../ServerLimits.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering, refusing } from "../answer/HandlerAnswer.ts"
import { pageOfProblem } from "../answer/ProblemPage.ts"
import { IdentityProvider, SignInRefused } from "../IdentityProvider.ts"
import { countStranger } from "../request/RateLimits.ts"
import * as SessionCookie from "../request/SessionCookie.ts"

const asked = HttpServerRequest.HttpServerRequest

const userAgent = Effect.map(asked, ({ headers }) => headers["user-agent"] ?? "")

const oneOfThem = new InvalidField({
  code: "invalid_field",
  field: "token",
  reason: "send either token or code, and one of them alone"
})

/** The path of the console that a browser is to come back to. What leads elsewhere is refused. */
const placeOf = (returnTo = "/") =>
  /^\/(?![/\\])[^\\\r\n]*$/.test(returnTo) && returnTo.length <= ServerLimits.returnPathLength
    ? Effect.succeed(returnTo)
    : new InvalidField({
        code: "invalid_field",
        field: "returnTo",
        reason: "use a path of this console, such as /changes"
      })

const flow = Effect.flatMap(IdentityProvider, (provider) =>
  provider?.flow == null
    ? new SignInRefused({ reason: "no provider of identities is set up here (PAWL_OIDC_CLIENT_ID)" })
    : Effect.succeed(provider.flow)
)

/**
 * The trace of the session that the request names; null for none. Whoever was signed in before in this browser is not any
 * more when somebody signs in: a session's secret is new each time, and the one before is over.
 */
const traceHere = Effect.flatMap(asked, (request) => {
  const secret = SessionCookie.sessionIn(request)
  return secret === null ? Effect.succeed(null) : Sessions.traceOf(secret)
})

const begin = Effect.fnUntraced(function* (payload: { readonly token?: string; readonly code?: string }) {
  yield* countStranger
  yield* SessionCookie.refuseCrossSite
  yield* SessionCookie.requireSecure
  const { code, token } = payload
  if ((code === undefined) === (token === undefined)) return yield* oneOfThem
  const agent = yield* userAgent
  const { text } =
    token === undefined
      ? yield* Sessions.beginByCode(Redacted.make(code ?? ""), agent)
      : yield* Sessions.beginByToken(Redacted.make(token), agent)
  const before = yield* traceHere
  if (before !== null) yield* Sessions.endTraced(before)
  return SessionCookie.settingSession(text)(HttpServerResponse.empty({ status: 204 }))
})

const start = Effect.fnUntraced(function* ({ returnTo }: { readonly returnTo?: string }) {
  yield* countStranger
  yield* SessionCookie.requireBeginningHere
  const place = yield* placeOf(returnTo)
  yield* SessionCookie.requireSecure
  const { kept, url } = yield* (yield* flow).begin({ returnTo: place, session: yield* traceHere })
  const led = HttpServerResponse.empty({ status: 302, headers: { location: url } })
  return SessionCookie.settingAsking(kept)(led)
})

/** The provider leads a whole page back. What an image or a frame asks for neither counts nor ends what is under way. */
const requireNavigation = Effect.flatMap(asked, (request) =>
  SessionCookie.isNavigation(request)
    ? Effect.void
    : new SignInRefused({ reason: "the provider leads a page back, and something else asked" })
)

const asItIs: SessionCookie.Setting = (response) => response

const callback = Effect.gen(function* () {
  yield* countStranger
  const request = yield* asked
  const kept = SessionCookie.askingIn(request)
  if (kept === null)
    return yield* new SignInRefused({ reason: "this browser did not begin it, or more than 10 minutes ago" })
  const { returnTo, session, state, ...subject } = yield* (yield* flow).finish(request.url, kept)
  const userId = yield* userOf(subject)
  const { text } = yield* Sessions.beginByProvider(userId, state, yield* userAgent)
  // A browser that comes back by a page of the provider's does not bring its session's cookie (`Strict`): what it kept tells.
  for (const before of new Set([session, yield* traceHere])) if (before !== null) yield* Sessions.endTraced(before)
  const led = HttpServerResponse.empty({ status: 303, headers: { location: returnTo } })
  return SessionCookie.clearingAsking(SessionCookie.settingSession(text)(led))
})

/**
 * Whether somebody is signed in where the request comes from: a page may ask, and a browser complains of no refusal. A page
 * of another origin is told no; a secret that opens nothing is counted by the address that it came from.
 */
const isSignedIn = Effect.gen(function* () {
  const request = yield* asked
  const secret = SessionCookie.sessionIn(request)
  if (secret === null) return false
  return yield* Effect.andThen(SessionCookie.requireSameOrigin(request), Sessions.authenticate(secret)).pipe(
    Effect.as(true),
    Effect.catchTag("CrossSite", () => Effect.succeed(false)),
    Effect.catchTag("Unauthenticated", () => Effect.as(countStranger, false))
  )
})

const offered = Effect.map(IdentityProvider, (provider) => {
  if (provider !== null && provider.flow !== null) return ["oidc", "token"] as const
  return provider === null ? (["link", "token"] as const) : (["token"] as const)
})

const methods = Effect.zipWith(offered, isSignedIn, (ways, is) => ({
  methods: ways,
  ...(is ? { signedIn: true as const } : {})
}))

/** Handlers of `signIn`, which need no token. */
export const SignInHttp = HttpApiBuilder.group(PawlApi, "signIn", (handlers) =>
  handlers
    .handle("methods", () => answering(methods))
    .handle("begin", ({ payload }) => answering(begin(payload)))
    .handle("end", () =>
      answering(
        Effect.gen(function* () {
          yield* SessionCookie.refuseCrossSite
          const secret = SessionCookie.sessionIn(yield* asked)
          if (secret !== null) yield* Sessions.end(secret)
          return SessionCookie.clearingSession(HttpServerResponse.empty({ status: 204 }))
        })
      )
    )
    .handle("oidcStart", ({ query }) => answering(Effect.catch(refusing(start(query)), pageOfProblem(asItIs))))
    .handle("oidcCallback", () =>
      answering(
        Effect.catch(
          Effect.andThen(
            refusing(requireNavigation),
            Effect.catch(refusing(callback), pageOfProblem(SessionCookie.clearingAsking))
          ),
          pageOfProblem(asItIs)
        )
      )
    )
)
