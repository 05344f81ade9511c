/** Signing in by a browser: authorization code with PKCE (S256), state, nonce and `iss` (RFC 9700). */
import { Effect, Redacted, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import * as client from "openid-client"
import { type ProviderUnavailable, type SignInFlow, SignInRefused } from "../http/IdentityProvider.ts"
import { unavailable } from "./OidcAddress.ts"
import { namesOf } from "./OidcTokens.ts"
import type { Discovery } from "./OidcDiscovery.ts"

/** What a browser keeps while it is at the provider. It is of use only with what the provider sends back. */
const Kept = Schema.fromJsonString(
  Schema.Struct({
    state: Schema.String,
    nonce: Schema.String,
    verifier: Schema.String,
    returnTo: Schema.String,
    /** The release before keeps none. */
    session: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
)
type Kept = typeof Kept.Type

const packed = (kept: Kept) => Redacted.make(Base64Url.encode(JSON.stringify(kept)))

const notOurs = new SignInRefused({ reason: "what this browser kept of the beginning cannot be read" })

const unpacked = (kept: Redacted.Redacted): Effect.Effect<Kept, SignInRefused> =>
  Effect.fromResult(Base64Url.decodeString(Redacted.value(kept))).pipe(
    Effect.flatMap(Schema.decodeEffect(Kept)),
    Effect.mapError(() => notOurs)
  )

/** A word of the provider's that may be repeated (RFC 6749, 4.1.2.1). */
const wordOf = (error: string): string => (/^[a-z_]{1,60}$/.test(error) ? error : "an error without a name")

const refusal = (error: unknown): SignInRefused | ProviderUnavailable => {
  if (error instanceof client.AuthorizationResponseError)
    return new SignInRefused({ reason: `the provider says ${wordOf(error.error)}` })
  if (error instanceof client.ResponseBodyError)
    return new SignInRefused({ reason: `the provider does not take the code: ${wordOf(error.error)}` })
  // A failure of the network is no TypeError in workerd, and the library has no code for it.
  const isAway = error instanceof client.ClientError && /^$|TIMEOUT|ABORT/.test(error.code ?? "")
  return error instanceof client.ClientError && !isAway
    ? new SignInRefused({ reason: "the provider's answer does not belong to the question that this browser asked" })
    : unavailable(error)
}

/** The flow of a console that people reach at `origin`. */
export const make = (issuer: string, origin: string, discovery: Discovery): SignInFlow => ({
  begin: Effect.fnUntraced(function* (leaving) {
    const config = yield* discovery
    const [verifier, state, nonce] = [client.randomPKCECodeVerifier(), client.randomState(), client.randomNonce()]
    const challenge = yield* Effect.promise(() => client.calculatePKCECodeChallenge(verifier))
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: `${origin}/auth/oidc/callback`,
      scope: "openid profile email",
      code_challenge: challenge,
      code_challenge_method: "S256",
      state,
      nonce
    })
    return { url: url.href, kept: packed({ state, nonce, verifier, ...leaving }) }
  }),
  finish: Effect.fnUntraced(function* (answer, kept) {
    const { nonce, returnTo, session = null, state, verifier } = yield* unpacked(kept)
    const config = yield* discovery
    const tokens = yield* Effect.tryPromise({
      try: () =>
        client.authorizationCodeGrant(config, new URL(answer, origin), {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true
        }),
      catch: refusal
    })
    const claims = tokens.claims()
    if (claims === undefined) return yield* new SignInRefused({ reason: "the provider does not say who you are" })
    return { issuer, subject: claims.sub, names: namesOf(claims), state: Redacted.make(state), returnTo, session }
  })
})
