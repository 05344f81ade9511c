/** The options of a provider of identities. */
import { Option, type Redacted } from "effect"
import type { GivenOptions } from "../GivenOptions.ts"

/** A provider that the installation relies on. */
export interface OidcChoice {
  /** As its tokens name it in `iss`, to the letter. */
  readonly issuer: string
  /** Whom tokens must be for. */
  readonly audience: string
  /** Of the console at the provider, with its secret where it has one. Null: nobody signs in there by a browser. */
  readonly client: { readonly id: string; readonly secret: Redacted.Redacted | null } | null
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Whether a provider may be asked at an address: by https, or on this machine. */
export const isFit = (address: string): boolean => {
  if (!URL.canParse(address)) return false
  const { hash, hostname, protocol, search, username } = new URL(address)
  const isSafe = protocol === "https:" || (protocol === "http:" && loopback.test(hostname))
  return isSafe && hash === "" && search === "" && username === ""
}

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
