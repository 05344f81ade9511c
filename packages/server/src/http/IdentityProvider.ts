/** The provider of identities that an installation may rely on (OpenID Connect): whoever mounts the app knows it. */
import { Context, type Effect, type Redacted, Schema } from "effect"
import type { Subject } from "@pawl/core/access/Identities"
import type { Unauthenticated } from "@pawl/core/access/Tokens"
import type * as Time from "@pawl/core/primitives/Time"

/** The provider cannot be asked now. Try again. */
export class ProviderUnavailable extends Schema.TaggedError<ProviderUnavailable>()("ProviderUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `The provider of identities cannot be asked: ${this.reason}.`
  }
}

/** A sign-in by the provider came to nothing. `reason` says why, without codes or tokens. */
export class SignInRefused extends Schema.TaggedError<SignInRefused>()("SignInRefused", { reason: Schema.String }) {
  override get message() {
    return `You could not be signed in: ${this.reason}. Begin again.`
  }
}

/** People sign in by the provider of identities: no link lets anybody in. */
export class NoSignInLink extends Schema.TaggedError<NoSignInLink>()("NoSignInLink", {}) {
  override get message() {
    return "People sign in by the provider of identities here: no link is made."
  }
}

/** What a token of the provider's says. */
export interface Verified extends Subject {
  /** From when on it counts no more. */
  readonly endsAt: Time.Timestamp
}

/** A question to the provider: where a browser goes, and what it keeps until it is back. */
export interface Asking {
  readonly url: string
  /** For a cookie. Its text has letters, digits, `-`, `_` and `.` alone. */
  readonly kept: Redacted.Redacted
}

/** What a browser is to find again when it is back. */
export interface Leaving {
  /** A path of the console. */
  readonly returnTo: string
  /** The trace of the session that it was in; null for none. */
  readonly session: string | null
}

/** Whom the provider told, in answer to a question. */
export interface Told extends Subject, Leaving {
  /** What made the question one of its kind. */
  readonly state: Redacted.Redacted
}

/** How people sign in through a browser (authorization code with PKCE, RFC 6749 and RFC 7636). */
export interface SignInFlow {
  readonly begin: (leaving: Leaving) => Effect.Effect<Asking, ProviderUnavailable>
  /** `answer` is the path and query that the browser came back with. */
  readonly finish: (answer: string, kept: Redacted.Redacted) => Effect.Effect<Told, SignInRefused | ProviderUnavailable>
}

/** What an installation asks of its provider. */
export interface IdentityProvider {
  /** Whom a JWT is for. Fails with `Unauthenticated` for one that does not count here. */
  readonly verify: (token: Redacted.Redacted) => Effect.Effect<Verified, Unauthenticated | ProviderUnavailable>
  /** Null where only tokens are taken. */
  readonly flow: SignInFlow | null
}

/** None unless one is given. */
export const IdentityProvider = Context.Reference<IdentityProvider | null>("@pawl/server/http/IdentityProvider", {
  defaultValue: () => null
})
