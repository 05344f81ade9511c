/** Where a provider of identities may be asked. */
import { ProviderUnavailable } from "../http/IdentityProvider.ts"

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Whether a provider may be asked at an address: by https, or on this machine. */
export const isFit = (address: string): boolean => {
  if (!URL.canParse(address)) return false
  const { hash, hostname, protocol, search, username } = new URL(address)
  const isSafe = protocol === "https:" || (protocol === "http:" && loopback.test(hostname))
  return isSafe && hash === "" && search === "" && username === ""
}

/** What is told of a failure: never what the provider wrote, which may be a page or repeat a secret. */
export const unavailable = (error: unknown): ProviderUnavailable => {
  const { code } = typeof error === "object" && error !== null && "code" in error ? error : { code: undefined }
  const name = typeof code === "string" && /^[A-Z_]{1,60}$/.test(code) ? code : "no answer that can be read"
  return new ProviderUnavailable({ reason: name })
}

/** Of a provider that does not say where its keys are. */
export const noKeys = new ProviderUnavailable({ reason: "it names no keys (jwks_uri) at an https address" })
