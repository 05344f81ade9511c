/**
 * Digests, base64 and signatures by Node, which has them faster than JavaScript and Web Crypto. What counts as a signature
 * is the same: `PublicKeys` says which keys there are, and that a signature of P-256 has one form.
 */
import { createPublicKey, hash, verify } from "node:crypto"
import { makeSignatureThreads, type Signer } from "@pawl/adapters-local/signing/SignatureThreads"
import type { Engine } from "@pawl/core/proof/Engine"
import { Limits } from "@pawl/core/primitives/Limits"
import { payloadType } from "@pawl/core/provenance/Envelope"
import { type Holds, publicKeyOf, rawOf } from "@pawl/core/provenance/PublicKeys"
import { Effect } from "effect"

type Key = Parameters<Holds>[0]

const digests = { ed25519: null, "ecdsa-p256-sha256": "sha256" } as const

const imported = ({ algorithm, spki }: Key): Signer | null => {
  if (publicKeyOf(spki)?.algorithm !== algorithm) return null
  try {
    const key = createPublicKey({ key: Buffer.from(spki, "base64"), format: "der", type: "spki" })
    return { key, spki, digest: digests[algorithm] }
  } catch {
    // A point that is not on the curve.
    return null
  }
}

/** By SPKI; null for what is no key. Of more than these, the one that was met first is forgotten. */
const known = { ed25519: new Map<string, Signer | null>(), "ecdsa-p256-sha256": new Map<string, Signer | null>() }

const keyOf = (key: Key): Signer | null => {
  const keys = known[key.algorithm]
  const before = keys.get(key.spki)
  if (before !== undefined) return before
  const made = imported(key)
  keys.set(key.spki, made)
  const [oldest] = keys.keys()
  if (keys.size > Limits.importedKeys && oldest !== undefined) keys.delete(oldest)
  return made
}

/** The key that may have made the signature; null for none, and for a signature that is not in its one form. */
const signerOf = (key: Key, signature: Uint8Array): Signer | null =>
  key.algorithm === "ed25519" || rawOf(signature) !== null ? keyOf(key) : null

/** At once, for one alone: the way to another thread and back takes as long as the signature. */
export const holdsAtOnce: Holds = (key, message, signature) => {
  const signer = signerOf(key, signature)
  return Promise.resolve(signer !== null && verify(signer.digest, message, signer.key, signature))
}

/** Node also reads the letters of base64url. */
const urlLetters = ["-", "_"]

/**
 * The bytes of a text of base64 that is as these bytes are written. Reading drops each character that is no letter: then
 * fewer bytes come out, which are written shorter or end with other padding. What else may differ is in the last letters.
 */
const base64 = (text: string): Uint8Array | null => {
  const bytes = Buffer.from(text, "base64")
  const whole = 4 * Math.ceil(bytes.length / 3)
  const last = bytes.subarray(bytes.length - (bytes.length % 3 || 3)).toString("base64")
  const isPlain = text.length === whole && text.endsWith(last) && !urlLetters.some((letter) => text.includes(letter))
  return isPlain ? bytes : null
}

/** `preAuthentication` of a statement's payload, in memory that nobody clears before. */
const signedOf = (payload: Uint8Array): Uint8Array => {
  const head = `DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `
  const bytes = Buffer.allocUnsafe(head.length + payload.length)
  bytes.set(payload, bytes.write(head, "latin1"))
  return bytes
}

/** What `pawl verify` computes with, many signatures at once on threads that end with the scope. */
export const nodeEngine = Effect.map(
  Effect.acquireRelease(Effect.sync(makeSignatureThreads), (threads) => Effect.promise(threads.close)),
  (threads): Engine => ({
    hash: (bytes) => hash("sha256", bytes, "buffer"),
    hex: (data) => hash("sha256", data, "hex"),
    base64,
    signedOf,
    holds: (key, message, signature) => {
      const signer = signerOf(key, signature)
      return signer === null ? Promise.resolve(false) : threads.holds(signer, message, signature)
    }
  })
)
