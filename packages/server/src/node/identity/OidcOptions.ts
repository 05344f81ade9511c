/** The options of a provider of identities. */
import { Option } from "effect"
import { isFit } from "../../identity/OidcAddress.ts"
import type { OidcChoice } from "../../identity/OidcDiscovery.ts"
import type { GivenOptions } from "../GivenOptions.ts"

/** The choice that the options make, null for none; or what is wrong with it, in words. */
export const oidcOf = (read: GivenOptions): OidcChoice | null | string => {
  const [issuer, audience] = [Option.getOrNull(read.oidcIssuer), Option.getOrNull(read.oidcAudience)]
  const clientId = Option.getOrNull(read.oidcClientId)
  if (issuer === null)
    return audience === null && clientId === null
      ? null
      : "oidcIssuer (PAWL_OIDC_ISSUER): name the issuer, or leave oidcAudience and oidcClientId out too"
  if (!isFit(issuer))
    return "oidcIssuer (PAWL_OIDC_ISSUER): use the issuer's https address, without query and fragment (http on this machine alone)"
  if (audience === null)
    return "oidcAudience (PAWL_OIDC_AUDIENCE): say whom the issuer's tokens must be for, else those for others would count"
  const secret = Option.getOrNull(read.oidcClientSecret)
  return { issuer, audience, client: clientId === null ? null : { id: clientId, secret } }
}
