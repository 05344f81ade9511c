/** What the verifier computes with. A host may have the same faster than JavaScript has it. */
import { sha256 } from "@noble/hashes/sha2.js"
import { Hex } from "effect/encoding"
import { utf8 } from "../primitives/Digest.ts"
import { base64Bytes } from "../primitives/StrictBase64.ts"
import { preAuthentication } from "../provenance/Envelope.ts"
import { holds, type Holds } from "../provenance/PublicKeys.ts"

/** The SHA-256 of bytes, as 32 bytes. */
export type Hashing = (bytes: Uint8Array) => Uint8Array

/** Digests, base64 and signatures, as `pureEngine` has them. */
export interface Engine {
  readonly hash: Hashing
  /** The SHA-256 of bytes, or of a text as UTF-8, in hex. */
  readonly hex: (data: Uint8Array | string) => string
  /** The bytes of a base64 text in its one form (`StrictBase64`); null for any other. */
  readonly base64: (text: string) => Uint8Array | null
  /** What is signed of a statement's payload: DSSE's encoding of it (`preAuthentication`). */
  readonly signedOf: (payload: Uint8Array) => Uint8Array
  readonly holds: Holds
}

/** In pure JavaScript, and Web Crypto. */
export const pureEngine: Engine = {
  hash: (bytes) => sha256(bytes),
  hex: (data) => Hex.encode(sha256(typeof data === "string" ? utf8(data) : data)),
  base64: base64Bytes,
  signedOf: (payload) => preAuthentication(payload),
  holds
}
