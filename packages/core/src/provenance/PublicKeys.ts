/**
 * Public keys as statements name them, and what they verify: through Web Crypto, which every JavaScript engine that Pawl
 * runs on has. Web Crypto writes a signature of P-256 as two numbers of 32 bytes, envelopes hold it in DER.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { Effect } from "effect"
import { Base64 } from "effect/encoding"
import { utf8 } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import type { KeyAlgorithm } from "../model/SigningKey.ts"
import { base64Bytes } from "../primitives/StrictBase64.ts"

/** Of Web Crypto's key and of what it is told of an algorithm: no more than is used here. */
interface ImportedKey {
  readonly type: string
}
declare const crypto: {
  readonly subtle: {
    importKey(
      format: "spki",
      data: Uint8Array,
      algorithm: object,
      extractable: boolean,
      usages: ReadonlyArray<"verify">
    ): Promise<ImportedKey>
    verify(algorithm: object, key: ImportedKey, signature: Uint8Array, data: Uint8Array): Promise<boolean>
  }
}

/** A public key, as everybody may see it. */
export interface PublicKey {
  /** `SHA256:` and the unpadded base64 of the SHA-256 of its SPKI. */
  readonly keyid: string
  /** SPKI in DER, base64. */
  readonly spki: string
  readonly algorithm: KeyAlgorithm
}

/** The id of the key with this SPKI. */
export const keyidOf = (spki: Uint8Array): string => `SHA256:${Base64.encode(sha256(spki)).replace(/=+$/, "")}`

// What an SPKI in DER begins with: everything but the key itself, whose length is fixed.
const beginnings: ReadonlyArray<readonly [algorithm: KeyAlgorithm, head: ReadonlyArray<number>, bytes: number]> = [
  ["ed25519", [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00], 32],
  [
    "ecdsa-p256-sha256",
    [
      0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce,
      0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04
    ],
    64
  ]
]

const parts = (spki: Uint8Array) => {
  const found = beginnings.find(
    ([, head, bytes]) => spki.length === head.length + bytes && head.every((byte, at) => spki[at] === byte)
  )
  return found === undefined ? null : { algorithm: found[0], raw: spki.slice(found[1].length) }
}

/** The public key of an SPKI in DER, or in its base64; null for one that is neither Ed25519 nor an uncompressed point of P-256. */
export const publicKeyOf = (spki: Uint8Array | string): PublicKey | null => {
  const bytes = typeof spki === "string" ? base64Bytes(spki) : spki
  const found = bytes === null ? null : parts(bytes)
  if (bytes === null || found === null) return null
  return { keyid: keyidOf(bytes), spki: Base64.encode(bytes), algorithm: found.algorithm }
}

/** What a new key signs, so that nobody can introduce one that is not theirs. */
export const proofMessage = (keyid: string): Uint8Array => utf8(`pawl-key-v1 ${keyid}`)

/** What a key of the log signs to hand over to the next one: whoever believes it follows. */
export const handoverMessage = (keyid: string): Uint8Array => utf8(`pawl-log-v1 ${keyid}`)

/** The 32 bytes of an Ed25519 key, as notes of C2SP name it; null for another key. */
export const rawEd25519 = (spki: string): Uint8Array | null => {
  const bytes = base64Bytes(spki)
  const found = bytes === null ? null : parts(bytes)
  return found?.algorithm === "ed25519" ? found.raw : null
}

const integer = (number: Uint8Array): ReadonlyArray<number> => {
  let from = 0
  while (from < number.length - 1 && number[from] === 0) from++
  const rest = Array.from(number.subarray(from))
  const digits = (rest[0] ?? 0) >= 0x80 ? [0, ...rest] : rest
  return [0x02, digits.length, ...digits]
}

/** The DER form of a signature of P-256 that is two numbers of 32 bytes. */
export const derOf = (raw: Uint8Array): Uint8Array => {
  const body = [...integer(raw.subarray(0, 32)), ...integer(raw.subarray(32, 64))]
  return Uint8Array.of(0x30, body.length, ...body)
}

const numberBytes = 32

/** The two numbers of 32 bytes of a signature of P-256 in DER; null for what is not in DER's one form. */
export const rawOf = (der: Uint8Array): Uint8Array | null => {
  const raw = new Uint8Array(2 * numberBytes)
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return null
  let at = 2
  for (const end of [numberBytes, 2 * numberBytes]) {
    const length = der[at + 1] ?? 0
    const number = der.subarray(at + 2, at + 2 + length)
    if (der[at] !== 0x02 || length === 0 || number.length !== length) return null
    const [first = 0, second = 0] = number
    // Negative, or with a zero in front that it does not need.
    if (first >= 0x80 || (first === 0 && length > 1 && second < 0x80)) return null
    const digits = first === 0 ? number.subarray(1) : number
    if (digits.length > numberBytes) return null
    raw.set(digits, end - digits.length)
    at += 2 + length
  }
  return at === der.length ? raw : null
}

const forms = {
  ed25519: { algorithm: { name: "Ed25519" }, params: { name: "Ed25519" } },
  "ecdsa-p256-sha256": {
    algorithm: { name: "ECDSA", namedCurve: "P-256" },
    params: { name: "ECDSA", hash: "SHA-256" }
  }
} as const

/** A key as Web Crypto has it; `key` is null for a point that is not on the curve, as a hostile one may be. */
interface Imported {
  readonly algorithm: KeyAlgorithm
  readonly key: Promise<ImportedKey | null>
  /** The same as soon as it is there. */
  read: ImportedKey | null
}

/** By SPKI. A key that verifies much is read once. Of more than these, the one that was met first is forgotten. */
const imported = new Map<string, Imported>()

const importOf = (spki: string): Imported | null => {
  const before = imported.get(spki)
  if (before !== undefined) return before
  const bytes = base64Bytes(spki)
  const algorithm = bytes === null ? undefined : parts(bytes)?.algorithm
  if (bytes === null || algorithm === undefined) return null
  const key = crypto.subtle.importKey("spki", bytes, forms[algorithm].algorithm, false, ["verify"]).catch(() => null)
  const made: Imported = { algorithm, key, read: null }
  void key.then((read) => (made.read = read))
  imported.set(spki, made)
  const [oldest] = imported.keys()
  if (imported.size > Limits.importedKeys && oldest !== undefined) imported.delete(oldest)
  return made
}

const no = () => false

/** Whether a signature is this key's of a message. What cannot be read is no signature. Never rejects. */
export type Holds = (
  key: Pick<PublicKey, "spki" | "algorithm">,
  message: Uint8Array,
  signature: Uint8Array
) => Promise<boolean>

/** Through Web Crypto. */
export const holds: Holds = ({ algorithm, spki }, message, signature) => {
  const raw = algorithm === "ed25519" ? signature : rawOf(signature)
  const known = raw === null ? null : importOf(spki)
  if (raw === null || known?.algorithm !== algorithm) return Promise.resolve(false)
  const asked = (key: ImportedKey) => crypto.subtle.verify(forms[algorithm].params, key, raw, message)
  // Whoever verifies thousands need not wait for the key each time.
  if (known.read !== null) return asked(known.read).catch(no)
  return known.key.then((key) => key !== null && asked(key)).catch(no)
}

/** The same as an effect. */
export const verifies = (
  key: Pick<PublicKey, "spki" | "algorithm">,
  message: Uint8Array,
  signature: Uint8Array
): Effect.Effect<boolean> => Effect.promise(() => holds(key, message, signature))
