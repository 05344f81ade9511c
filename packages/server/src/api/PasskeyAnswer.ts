/** The answer of a passkey, as a browser's `navigator.credentials.get` gives it, each field base64url without padding. */
import { Schema } from "effect"
import { Limits } from "@pawl/core/primitives/Limits"
import { ServerLimits } from "../ServerLimits.ts"

const base64url = (max: number) => {
  const expected = `base64url without padding, 1 to ${max} characters`
  return Schema.String.check(Schema.isPattern(new RegExp(`^[A-Za-z0-9_-]{1,${max}}$`), { expected }))
}

/** The id of a credential. */
export const CredentialId = base64url(Limits.credentialIdLength)

/** As `Assertion` in the core. */
export const PasskeyAnswer = Schema.Struct({
  /** The id of the credential that signed. */
  credential: CredentialId,
  authenticatorData: base64url(ServerLimits.assertionFieldLength),
  clientDataJSON: base64url(ServerLimits.assertionFieldLength),
  /** In DER. */
  signature: base64url(ServerLimits.assertionFieldLength)
})
