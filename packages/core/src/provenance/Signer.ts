/** Signs statements and checkpoints. Its private keys are its own: no other part of Pawl sees one. */
import { Context, type Effect, Schema } from "effect"
import type { Signature } from "../model/Statement.ts"
import type { PublicKey } from "./PublicKeys.ts"

/** What a signature is for: `statement` is that of an envelope, `log` that of a checkpoint. */
export type SignatureUse = "statement" | "log"

/**
 * The signer does not answer, or has no key. Statements stay unsigned meanwhile; nothing else waits, but releases where
 * provenance is enforced. The reason names no file and holds no secret.
 */
export class SignerUnavailable extends Schema.TaggedError<SignerUnavailable>()("SignerUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `The signer is away: ${this.reason}`
  }
}

/** The public keys that a signer signs with now. */
export type SignerKeys = Readonly<Record<SignatureUse, PublicKey>>

/** One installation has one signer: all of its processes sign with the same keys. */
export class Signer extends Context.Service<
  Signer,
  {
    /** The public keys of what it signs with now: after a rotation others. The log's is an Ed25519 one. */
    readonly keys: Effect.Effect<SignerKeys, SignerUnavailable>
    /**
     * Signs a message of at most `Limits.signedBytes` with the key for this use, and names the key: of P-256 over its
     * SHA-256 and in DER, of Ed25519 its 64 bytes, both as base64.
     */
    readonly sign: (use: SignatureUse, message: Uint8Array) => Effect.Effect<Signature, SignerUnavailable>
  }
>()("@pawl/core/provenance/Signer") {}
