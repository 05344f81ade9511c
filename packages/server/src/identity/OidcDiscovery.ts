/** What a provider of identities says of itself (OpenID Connect Discovery 1.0), asked once and again after a while. */
import type { ProviderUnavailable } from "../http/IdentityProvider.ts"
import { ServerLimits } from "../ServerLimits.ts"
import { Effect, Redacted } from "effect"
import { steadyMillis } from "@pawl/core/primitives/Time"
import * as client from "openid-client"
import { isFit, noKeys, unavailable } from "./OidcAddress.ts"
import type { TrustedIssuer } from "./OidcTokens.ts"

/** A provider that the installation relies on. */
export interface OidcChoice extends TrustedIssuer {
  /** Of the console at the provider, with its secret where it has one. Null: nobody signs in there by a browser. */
  readonly client: { readonly id: string; readonly secret: Redacted.Redacted | null } | null
}

const discover = async ({ audience, client: own, issuer }: OidcChoice): Promise<client.Configuration> => {
  const secret = own?.secret ?? null
  const found = await client.discovery(
    new URL(issuer),
    own?.id ?? audience,
    undefined,
    secret === null ? client.None() : client.ClientSecretPost(Redacted.value(secret)),
    {
      timeout: ServerLimits.oidcAnswerMs / 1000,
      ...(issuer.startsWith("http:") ? { execute: [client.allowInsecureRequests] } : {})
    }
  )
  // Who reached the token endpoint is one thing, who signed what it answers another.
  client.enableNonRepudiationChecks(found)
  found.timeout = ServerLimits.oidcAnswerMs / 1000
  return found
}

/** Fails with `ProviderUnavailable`. */
export type Discovery = Effect.Effect<client.Configuration, ProviderUnavailable>

/**
 * Asks the provider, and remembers what it said for `ServerLimits.oidcKnownMs`. All who ask meanwhile wait for the one
 * answer; a failure is not remembered.
 */
export const make = (choice: OidcChoice): Discovery => {
  let known: { readonly found: client.Configuration; readonly atMs: number } | null = null
  let underWay: Promise<client.Configuration> | null = null
  const asked = () => (underWay ??= discover(choice).finally(() => (underWay = null)))
  return Effect.gen(function* () {
    if (known !== null && (yield* steadyMillis) - known.atMs < ServerLimits.oidcKnownMs) return known.found
    const found = yield* Effect.tryPromise({ try: asked, catch: unavailable })
    if (!isFit(found.serverMetadata().jwks_uri ?? "")) return yield* noKeys
    known = { found, atMs: yield* steadyMillis }
    return found
  })
}
