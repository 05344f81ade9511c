/**
 * The provider of identities whose tokens count on Cloudflare. What was learned of it is kept in the object that asked, once
 * it is there: no request waits for what another one began.
 */
import * as Time from "@pawl/core/primitives/Time"
import { Effect, Schema } from "effect"
import type { IdentityProvider } from "../http/IdentityProvider.ts"
import { isFit, noKeys, unavailable } from "../identity/OidcAddress.ts"
import * as OidcTokens from "../identity/OidcTokens.ts"
import { ServerLimits } from "../ServerLimits.ts"

/** What of a provider's description counts (OpenID Connect Discovery 1.0). */
const Described = Schema.Struct({ issuer: Schema.String, jwks_uri: Schema.String })

const described = (issuer: string) =>
  Effect.tryPromise({
    try: async () => {
      const response = await fetch(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, {
        headers: { accept: "application/json" },
        // It says of itself who it is: nobody else may, whom it leads to.
        redirect: "manual",
        signal: AbortSignal.timeout(ServerLimits.oidcAnswerMs)
      })
      if (response.status !== 200) throw new Error("no description")
      return Schema.decodeUnknownSync(Described)(await response.json())
    },
    catch: unavailable
  })

/** Where its keys are, remembered for `ServerLimits.oidcKnownMs`. A failure is not remembered. */
const addressOfKeys = (issuer: string) => {
  let known: { readonly address: string; readonly atMs: number } | null = null
  return Effect.gen(function* () {
    if (known !== null && (yield* Time.steadyMillis) - known.atMs < ServerLimits.oidcKnownMs) return known.address
    const found = yield* described(issuer)
    if (found.issuer !== issuer || !isFit(found.jwks_uri)) return yield* noKeys
    known = { address: found.jwks_uri, atMs: yield* Time.steadyMillis }
    return known.address
  })
}

/** Null without an issuer. Nobody signs in there by a browser. */
export const trusting = (oidc: OidcTokens.TrustedIssuer | null): IdentityProvider | null =>
  oidc === null ? null : { verify: OidcTokens.make(oidc, addressOfKeys(oidc.issuer)), flow: null }
