/**
 * Digests, base64 and signatures by Node, which has them faster than JavaScript and Web Crypto. What counts as a signature
 * is the same: `PublicKeys` says which keys there are, and that a signature of P-256 has one form.
 */
import { createPublicKey, hash, verify } from "node:crypto"
import { makeSignatureThreads, type Signer } from "@pawl/adapters-local/signing/SignatureThreads"
import type { Engine } from "@pawl/core/proof/Engine"
import { Limits } from "@pawl/core/primitives/Limits"
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

/** The bytes of a text of base64 that is as these bytes are written: what is not in that form is dropped in reading. */
const base64 = (text: string): Uint8Array | null => {
  const bytes = Buffer.from(text, "base64")
  return bytes.toString("base64") === text ? bytes : null
}

/** What `pawl verify` computes with, many signatures at once on threads that end with the scope. */
export const nodeEngine = Effect.map(
  Effect.acquireRelease(Effect.sync(makeSignatureThreads), (threads) => Effect.promise(threads.close)),
  (threads): Engine => ({
    hash: (bytes) => hash("sha256", bytes, "buffer"),
    hex: (data) => hash("sha256", data, "hex"),
    base64,
    holds: (key, message, signature) => {
      const signer = signerOf(key, signature)
      return signer === null ? Promise.resolve(false) : threads.holds(signer, message, signature)
    }
  })
)
