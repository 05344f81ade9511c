/** A public key that signs statements or checkpoints, and what became of it. Its history is the instance's chain. */
import { Schema } from "effect"
import { Timestamp } from "../primitives/Time.ts"

/** How a key signs: ECDSA with P-256 and SHA-256, or Ed25519. */
export const KeyAlgorithm = Schema.Literals(["ecdsa-p256-sha256", "ed25519"])
export type KeyAlgorithm = typeof KeyAlgorithm.Type

/** What a key is for: `statement` signs envelopes, `log` checkpoints, `recovery` only retires and introduces keys. */
export const KeyUse = Schema.Literals(["statement", "log", "recovery"])
export type KeyUse = typeof KeyUse.Type

/** One key, as the newest entry of the instance's chain leaves it. */
export const SigningKey = Schema.Struct({
  /** `SHA256:` and the unpadded base64 of the SHA-256 of its SPKI; the key of the row. */
  keyid: Schema.String,
  /** The public key: SPKI in DER, base64. */
  spki: Schema.String,
  /** How it signs. */
  algorithm: KeyAlgorithm,
  /** What it is for. */
  use: KeyUse,
  /** Of a key of the log: what the origins of its logs begin with. The host of the first start, for good. */
  name: Schema.optionalKey(Schema.String),
  /** `revoked`: it was stolen, and counts for nothing after the heads that its entry names. */
  state: Schema.Literals(["current", "retired", "revoked"]),
  /** The entry of the instance's chain that introduced it. */
  introducedAt: Schema.Finite,
  /** The entry that retired or revoked it; null while it signs. */
  endedAt: Schema.NullOr(Schema.Finite),
  /** When it was introduced. */
  createdAt: Timestamp
})
export interface SigningKey extends Schema.Schema.Type<typeof SigningKey> {}
