/** The provider of identities that an installation names. It is asked when somebody comes with its token, and not before. */
import type { IdentityProvider } from "../http/IdentityProvider.ts"
import * as OidcDiscovery from "./OidcDiscovery.ts"
import * as OidcFlow from "./OidcFlow.ts"
import * as OidcTokens from "./OidcTokens.ts"
import { Effect } from "effect"

/** `origin` is where people reach the console. */
export const make = (choice: OidcDiscovery.OidcChoice, origin: string): IdentityProvider => {
  const discovery = OidcDiscovery.make(choice)
  return {
    verify: OidcTokens.make(
      choice,
      Effect.map(discovery, (found) => found.serverMetadata().jwks_uri ?? "")
    ),
    flow: choice.client === null ? null : OidcFlow.make(choice.issuer, origin, discovery)
  }
}
