/** Who a credential of a request belongs to: a token of Pawl's, a provider's token, or the session of a browser. */
import { Effect, Redacted } from "effect"
import { userOf } from "@pawl/core/access/Identities"
import * as Sessions from "@pawl/core/access/Sessions"
import { allScopes, authenticate, type Caller, isTokenText, letIn, Unauthenticated } from "@pawl/core/access/Tokens"
import type { Ledger } from "@pawl/core/ledger/Ledger"
import type { Records } from "@pawl/core/ledger/Records"
import { sha256 } from "@pawl/core/primitives/Digest"
import { IdentityProvider } from "../IdentityProvider.ts"

/** Three parts of base64url, as RFC 7515 writes them. */
const jwt = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** As many characters of a digest as tell tokens apart, in the form of other ids. */
const idLength = 26

/** Fails with `Unauthenticated`, and with `ProviderUnavailable` when the provider cannot be asked. */
const byProvider = Effect.fnUntraced(function* (token: Redacted.Redacted) {
  const provider = yield* IdentityProvider
  if (provider === null) return yield* new Unauthenticated({ reason: "unknown" })
  const { endsAt, ...subject } = yield* provider.verify(token)
  const userId = yield* userOf(subject).pipe(
    Effect.catchTag("InvalidField", () => new Unauthenticated({ reason: "unverified" }))
  )
  const user = yield* letIn(userId)
  const id = `jwt_${(yield* sha256(Redacted.value(token))).slice(0, idLength).toUpperCase()}`
  // Who a person is, a provider says; what they may do, their roles here.
  return { user, token: { id, name: subject.issuer, scopes: allScopes, expiresAt: endsAt } } satisfies Caller
})

type NotLetIn = Effect.Error<ReturnType<typeof byProvider>>

/** Who a token belongs to. Fails as its kind does. */
export const byToken = (token: Redacted.Redacted): Effect.Effect<Caller, NotLetIn, Ledger | Records> => {
  const text = Redacted.value(token)
  return !isTokenText(text) && jwt.test(text) ? byProvider(token) : authenticate(token)
}

/** Who is in the session of a cookie. Fails with `Unauthenticated`. */
export const bySession = Sessions.authenticate
