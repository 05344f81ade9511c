/**
 * The script that asks the provider of identities, and judges what it says: one object, so that what one request began to
 * ask may be waited for by the next. It has no route, and is bound to nothing of a Project's. It alone has the secret of the
 * console there.
 */
import { DurableObject } from "cloudflare:workers"
import type { DurableObjectState } from "@cloudflare/workers-types"
import { Effect, Redacted } from "effect"
import { type IdentityProvider, type Leaving, type SignInFlow, SignInRefused } from "../http/IdentityProvider.ts"
import * as OidcProvider from "../identity/OidcProvider.ts"
import type { IssuerChoice } from "./Bindings.ts"
import { answered, type IdentityCalls } from "./RemoteIdentity.ts"

/** Bindings of the script. */
export interface IdentityBindings {
  readonly PROVIDER: IssuerChoice & { readonly apiOrigin: string }
  /** Of the console at the provider; missing where it has none. */
  readonly OIDC_CLIENT_SECRET?: string
}

const providerOf = ({ OIDC_CLIENT_SECRET, PROVIDER }: IdentityBindings): IdentityProvider => {
  const { apiOrigin, clientId, ...trusted } = PROVIDER
  const secret = OIDC_CLIENT_SECRET === undefined ? null : Redacted.make(OIDC_CLIENT_SECRET)
  return OidcProvider.make({ ...trusted, client: clientId === null ? null : { id: clientId, secret } }, apiOrigin)
}

/** The provider, as an object. It keeps nothing but what the provider said, as long as it lives. */
export class Identity extends DurableObject<IdentityBindings> implements IdentityCalls {
  private readonly provider: IdentityProvider

  constructor(ctx: DurableObjectState, env: IdentityBindings) {
    super(ctx, env)
    this.provider = providerOf(env)
  }

  private flow(): Effect.Effect<SignInFlow, SignInRefused> {
    const { flow } = this.provider
    return flow === null
      ? Effect.fail(new SignInRefused({ reason: "no browser signs in at the provider here" }))
      : Effect.succeed(flow)
  }

  verify(token: string) {
    return answered(this.provider.verify(Redacted.make(token)))
  }

  begin(leaving: Leaving) {
    return answered(
      Effect.map(
        Effect.flatMap(this.flow(), (flow) => flow.begin(leaving)),
        ({ kept, url }) => ({ url, kept: Redacted.value(kept) })
      )
    )
  }

  finish(answer: string, kept: string) {
    return answered(
      Effect.map(
        Effect.flatMap(this.flow(), (flow) => flow.finish(answer, Redacted.make(kept))),
        ({ state, ...told }) => ({ ...told, state: Redacted.value(state) })
      )
    )
  }
}

export default { fetch: (): Response => new Response(null, { status: 404 }) }
