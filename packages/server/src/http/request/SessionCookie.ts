/**
 * The cookie of a console session. Apps live on hosts of the same site, whose pages make browsers send it along: so a
 * request with the cookie counts only when the browser says that a page of this very origin, or a person, sent it.
 */
import { Effect, Redacted, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Limits } from "@pawl/core/primitives/Limits"
import { ApiSettings } from "../ApiSettings.ts"

/** A page of another origin sent a request with the cookie. */
export class CrossSite extends Schema.TaggedError<CrossSite>()("CrossSite", {}) {
  override get message() {
    return "A request with the console's cookie must come from a page of this origin (Sec-Fetch-Site: same-origin). Use a token from elsewhere."
  }
}

/** A page of another site had a browser begin to sign in. */
export class SignInElsewhere extends Schema.TaggedError<SignInElsewhere>()("SignInElsewhere", {}) {
  override get message() {
    return "Signing in begins on a page of this console, and at no link or image of another site. Open the console and sign in there."
  }
}

/** The browser would not keep the cookie. */
export class InsecureOrigin extends Schema.TaggedError<InsecureOrigin>()("InsecureOrigin", {}) {
  override get message() {
    return "Browsers keep the console's cookie at https addresses and at localhost alone. Use https, or http://localhost."
  }
}

/** Of the session. The prefix keeps other hosts from setting it (RFC 6265bis, 4.1.3.2). */
const sessionCookie = "__Host-pawl"
/** Of a question to a provider of identities, while the browser is away. */
const askingCookie = "__Host-pawl-oidc"

const cookieOf = (request: HttpServerRequest.HttpServerRequest, name: string): Redacted.Redacted | null => {
  if (request.headers["cookie"]?.includes(name) !== true) return null
  const value = request.cookies[name]
  return value === undefined || value === "" ? null : Redacted.make(value)
}

/** The secret of the session that a request names; null for none. */
export const sessionIn = (request: HttpServerRequest.HttpServerRequest): Redacted.Redacted | null =>
  cookieOf(request, sessionCookie)

/** What a browser kept while it was at the provider; null for none. */
export const askingIn = (request: HttpServerRequest.HttpServerRequest): Redacted.Redacted | null =>
  cookieOf(request, askingCookie)

/** Fails with `CrossSite` unless a page of this origin sent the request, or a person who typed its address. */
export const requireSameOrigin = ({
  headers,
  method
}: Pick<HttpServerRequest.HttpServerRequest, "headers" | "method">): Effect.Effect<void, CrossSite> => {
  const site = headers["sec-fetch-site"]
  const reads = method === "GET" || method === "HEAD"
  return site === "same-origin" || (site === "none" && reads) ? Effect.void : Effect.fail(new CrossSite())
}

/**
 * The same for what begins or ends a session. Programs say nothing of where a request comes from, and carry no cookies of
 * a browser: only what a browser says counts here.
 */
export const refuseCrossSite = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
  request.headers["sec-fetch-site"] === undefined && sessionIn(request) === null
    ? Effect.void
    : requireSameOrigin(request)
)

/**
 * Fails with `SignInElsewhere` unless it is a person, a page of the console or a program that begins to sign in: an app's
 * image would put another question in place of the one that is under way, and end the session that is there.
 */
export const requireBeginningHere = Effect.mapError(refuseCrossSite, () => new SignInElsewhere())

/** Whether a browser goes to a page. Who does not say where a request comes from is a program, or may be going to one. */
export const isNavigation = ({ headers }: Pick<HttpServerRequest.HttpServerRequest, "headers">): boolean =>
  headers["sec-fetch-site"] === undefined ||
  (headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document")

const local = /^(localhost|[^:]+\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i

/** Fails with `InsecureOrigin` where a browser would not keep the cookie. */
export const requireSecure = Effect.gen(function* () {
  const { origin } = yield* ApiSettings
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  if (origin?.startsWith("https:") !== true && !local.test(headers["host"] ?? "")) return yield* new InsecureOrigin()
})

/** Sets a cookie on an answer; a lifetime of 0 takes it back. */
export type Setting = (response: HttpServerResponse.HttpServerResponse) => HttpServerResponse.HttpServerResponse

const setting =
  (name: string, value: string, sameSite: "lax" | "strict", lifeMs: number): Setting =>
  (response) =>
    HttpServerResponse.setCookieUnsafe(response, name, value, {
      path: "/",
      secure: true,
      httpOnly: true,
      sameSite,
      maxAge: lifeMs
    })

/** Begins a session in the browser. */
export const settingSession = (secret: Redacted.Redacted): Setting =>
  setting(sessionCookie, Redacted.value(secret), "strict", Limits.sessionMaxMs)
/** Ends it. */
export const clearingSession = setting(sessionCookie, "", "strict", 0)

/** Keeps a question in the browser, which comes back by a link of another site: `Strict` would not let it. */
export const settingAsking = (kept: Redacted.Redacted): Setting =>
  setting(askingCookie, Redacted.value(kept), "lax", Limits.signInCodeMs)
/** Forgets it. */
export const clearingAsking = setting(askingCookie, "", "lax", 0)
