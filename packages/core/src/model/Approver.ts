/** A passkey (WebAuthn credential) with which a person signs decisions. Enrolled by a statement of the instance's chain. */
import { Schema } from "effect"
import { UserId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

/** What a passkey answers when it is asked to sign: as WebAuthn's own JSON, each field base64url without padding. */
export const Assertion = Schema.Struct({
  /** The id of the credential that signed. */
  credential: Schema.String,
  /** The digest of the relying party, the flags and the counter. The counter is not looked at. */
  authenticatorData: Schema.String,
  /** What was asked, from where: type, challenge, origin. */
  clientDataJSON: Schema.String,
  /** Of the authenticator data and the SHA-256 of the client data: P-256, in DER. */
  signature: Schema.String
})
export interface Assertion extends Schema.Schema.Type<typeof Assertion> {}

/** One enrolled passkey. */
export const Approver = Schema.Struct({
  /** The id of the credential, base64url; the key of the row. */
  credential: Schema.String,
  /** Whose it is. */
  user: UserId,
  /** Its public key: SPKI in DER, base64. P-256. */
  spki: Schema.String,
  /** The relying party that it is bound to: `localhost` or a name, no address. */
  rpId: Schema.String,
  /** Whether it may endorse others: that of an owner of the installation's organization. */
  owner: Schema.optionalKey(Schema.Literal(true)),
  /** The entry of the instance's chain that enrolled it. */
  enrolledAt: Schema.Finite,
  /** The entry that removed it; null while it counts. */
  removedAt: Schema.NullOr(Schema.Finite),
  /** When it was enrolled. */
  createdAt: Timestamp
})
export interface Approver extends Schema.Schema.Type<typeof Approver> {}
