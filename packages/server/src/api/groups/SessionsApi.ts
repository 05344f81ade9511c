/** Sessions of browsers: who is signed in, and where. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authenticated } from "../Authentication.ts"
import { about, administeringOwn, readingOwn } from "../Needs.ts"
import { ById } from "../PageParams.ts"
import { SessionRecord, UserRecord } from "../RecordSchemas.ts"
import { Environment } from "./ServiceApi.ts"

/** What begins a session: a token, or the code of a link. */
const SignInBody = Schema.Struct({
  /** A token of Pawl's. The session may do what it may, and ends with it. */
  token: Schema.optionalKey(Schema.String),
  /** The code of a link: of the one that `pawl serve` prints, or of `POST /v1/sessions/link`. It opens once. */
  code: Schema.optionalKey(Schema.String)
})

/** Beginning and ending one's own. Anyone may ask. */
export const SignInApi = HttpApiGroup.make("signIn")
  .add(
    HttpApiEndpoint.get("methods", "/auth/methods", {
      success: Schema.Struct({
        /** In the order in which to offer them. */
        methods: Schema.Array(Schema.Literals(["oidc", "link", "token"])),
        /** There for a page of this origin, whose cookie is of a session that goes on. */
        signedIn: Schema.optionalKey(Schema.Literal(true))
      })
    }).annotate(OpenApi.Summary, "How people sign in here")
  )
  .add(
    HttpApiEndpoint.post("begin", "/v1/session", {
      payload: SignInBody,
      success: HttpApiSchema.NoContent
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Sign in a browser",
        description:
          "By `token` or `code`, one of them. Sets the cookie `__Host-pawl`. Requests with it count only when the browser says `Sec-Fetch-Site: same-origin`, or `none` for a GET; else they are refused with 403 `cross_site`."
      })
    )
  )
  .add(
    HttpApiEndpoint.delete("end", "/v1/session", { success: HttpApiSchema.NoContent }).annotate(
      OpenApi.Summary,
      "Sign out: the session of the cookie is gone"
    )
  )
  .add(
    HttpApiEndpoint.get("oidcStart", "/auth/oidc/start", {
      query: Schema.Struct({
        /** A path of the console, to come back to. Default `/`. */
        returnTo: Schema.optionalKey(Schema.String)
      }),
      success: HttpApiSchema.Empty(302)
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Sign in by the provider of identities: leads there",
        description:
          "For pages of the console, and for who types the address: from a page of another origin it is 403 `cross_site`."
      })
    )
  )
  .add(
    HttpApiEndpoint.get("oidcCallback", "/auth/oidc/callback", { success: HttpApiSchema.Empty(303) }).annotate(
      OpenApi.Summary,
      "Where the provider of identities leads back to"
    )
  )
  .annotate(OpenApi.Description, "Signing in and out with a browser")

/** One's sessions, and who is in this one. */
export const SessionsApi = HttpApiGroup.make("sessions")
  .add(
    HttpApiEndpoint.get("current", "/v1/session", {
      success: Schema.Struct({
        /** Null for who asks with a token. */
        session: Schema.NullOr(SessionRecord),
        user: UserRecord,
        /** Of the installation, as `/health` says. */
        environment: Environment,
        /** Where news begin of what moves after this answer: `after` of `GET /v1/changes-of-state`. */
        after: Schema.Finite
      })
    }).annotateMerge(about(readingOwn, "The session that asks, and its user"))
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/sessions", {
      success: Schema.Struct({ items: Schema.Array(SessionRecord), nextCursor: Schema.Null })
    }).annotateMerge(about(readingOwn, "The caller's open sessions, the one that was used last first"))
  )
  .add(
    HttpApiEndpoint.post("link", "/v1/sessions/link", {
      success: Schema.Struct({
        /** An address of the console. */
        link: Schema.String,
        expiresAt: Schema.String
      }).pipe(HttpApiSchema.status(201))
    }).annotateMerge(
      about(
        administeringOwn,
        "Make a link that signs the caller in with a browser",
        "It opens once, within 10 minutes. The session that it begins may do what the token may that asks, and ends with it. 403 `link_needs_token` for a session of a browser, 409 `no_sign_in_link` where a provider of identities signs people in."
      )
    )
  )
  .add(
    HttpApiEndpoint.delete("revoke", "/v1/sessions/:id", {
      params: ById,
      success: HttpApiSchema.NoContent
    }).annotateMerge(
      about(
        administeringOwn,
        "End a session",
        "One's own, or one of a user that one may disable. In force with the next request."
      )
    )
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Browsers that are signed in")
