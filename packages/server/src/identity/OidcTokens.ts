/** JWTs of the one provider as bearer tokens: who signed them, for whom, and from when till when (RFC 7519, RFC 9068). */
import { Unauthenticated } from "@pawl/core/access/Tokens"
import * as Time from "@pawl/core/primitives/Time"
import { Effect, Redacted } from "effect"
import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload } from "jose"
import type { IdentityProvider, ProviderUnavailable, Verified } from "../http/IdentityProvider.ts"
import { ServerLimits } from "../ServerLimits.ts"
import { unavailable } from "./OidcAddress.ts"

/** Signatures by a key pair alone: a provider's public key is no secret that anybody could sign with. */
const algorithms = ["RS256", "ES256"]

type Keys = ReturnType<typeof createRemoteJWKSet>

const keysAt = (address: string): Keys =>
  createRemoteJWKSet(new URL(address), {
    cooldownDuration: ServerLimits.oidcKeysAgainMs,
    cacheMaxAge: ServerLimits.oidcKnownMs,
    timeoutDuration: ServerLimits.oidcAnswerMs
  })

const text = (value: unknown): ReadonlyArray<string> => (typeof value === "string" ? [value] : [])

/** What a provider calls a person, by its claims, the nicest first. */
export const namesOf = (claims: Readonly<Record<string, unknown>>): ReadonlyArray<string> =>
  ["name", "preferred_username", "email"].flatMap((claim) => text(claims[claim]))

const verifiedOf = (payload: JWTPayload, issuer: string): Verified => ({
  issuer,
  subject: payload.sub ?? "",
  names: namesOf(payload),
  endsAt: Time.fromMillis((payload.exp ?? 0) * 1000)
})

/** A token that does not count is the caller's; keys that cannot be had are the provider's. */
const refusal = (error: unknown): Unauthenticated | ProviderUnavailable => {
  if (error instanceof errors.JWTExpired) return new Unauthenticated({ reason: "expired" })
  const isTheirs = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid
  return error instanceof errors.JOSEError && !isTheirs && error.code !== "ERR_JOSE_GENERIC"
    ? new Unauthenticated({ reason: "unverified" })
    : unavailable(error)
}

/** Whose tokens count, as those name it to the letter, and whom they must be for. */
export interface TrustedIssuer {
  readonly issuer: string
  readonly audience: string
}

/**
 * Judges tokens by the keys that the provider publishes, which are fetched again when it signs with a new one. `addressOfKeys`
 * is asked for each token. In workerd no request waits for keys that another one began to fetch.
 */
export const make = (
  { audience, issuer }: TrustedIssuer,
  addressOfKeys: Effect.Effect<string, ProviderUnavailable>
): IdentityProvider["verify"] => {
  let kept: { readonly address: string; readonly keys: Keys } | null = null
  const keysOf = (address: string): Keys => {
    if (kept?.address !== address) kept = { address, keys: keysAt(address) }
    return kept.keys
  }
  const verifying = (token: string, keys: Keys, nowMs: number) =>
    Effect.tryPromise({
      try: () =>
        jwtVerify(token, keys, {
          issuer,
          audience,
          algorithms,
          requiredClaims: ["exp", "sub"],
          clockTolerance: ServerLimits.oidcClockSeconds,
          currentDate: new Date(nowMs)
        }),
      catch: (error) => error
    })
  return Effect.fnUntraced(function* (token) {
    const given = Redacted.value(token)
    const nowMs = yield* Time.nowMillis
    const keys = keysOf(yield* addressOfKeys)
    const { payload } = yield* verifying(given, keys, nowMs).pipe(
      // Keys that were fetched a moment ago are not fetched for each token of a stranger: the first of a new key waits.
      Effect.catchIf(
        (error) => error instanceof errors.JWKSNoMatchingKey && keys.coolingDown,
        () => Effect.andThen(Effect.sleep(ServerLimits.oidcKeysAgainMs), verifying(given, keys, nowMs))
      ),
      Effect.mapError(refusal)
    )
    return verifiedOf(payload, issuer)
  })
}
