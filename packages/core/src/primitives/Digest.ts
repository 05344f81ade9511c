/**
 * SHA-256: what is long through Web Crypto, which every JavaScript engine that Pawl runs on has. What is short is done at
 * once: Web Crypto answers from another thread, and for a token's text the way there and back takes thirty times as long.
 */
import { sha256 as nobleSha256 } from "@noble/hashes/sha2.js"
import { Effect, Result } from "effect"
import { Hex } from "effect/encoding"

declare const crypto: {
  readonly subtle: { digest(algorithm: "SHA-256", data: Uint8Array): Promise<ArrayBuffer> }
}
declare const TextEncoder: { new (): { encode(text: string): Uint8Array } }

const encoder = new TextEncoder()

/** Up to here the digest takes less time than the way to another thread. */
const shortBytes = 1024

/** The UTF-8 bytes of a text. */
export const utf8 = (text: string): Uint8Array => encoder.encode(text)

/** Whether two runs of bytes are equal. */
export const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at])

/** The SHA-256 of bytes, or of a text's UTF-8 bytes, as 64 lowercase hex characters. */
export const sha256 = (data: Uint8Array | string): Effect.Effect<string> =>
  Effect.suspend(() => {
    const bytes = typeof data === "string" ? utf8(data) : data
    if (bytes.length <= shortBytes) return Effect.succeed(Hex.encode(nobleSha256(bytes)))
    return Effect.map(
      Effect.promise(() => crypto.subtle.digest("SHA-256", bytes)),
      (digest) => Hex.encode(new Uint8Array(digest))
    )
  })

/** The same without waiting, for pure decisions: of texts of a few KiB. */
export const sha256AtOnce = (data: Uint8Array | string): string =>
  Hex.encode(nobleSha256(typeof data === "string" ? utf8(data) : data))

/** The bytes that a text of hex digits stands for. The text must be one. */
export const hexBytes = (hex: string): Uint8Array => Result.getOrThrow(Hex.decode(hex))

/**
 * JSON without white space, with object keys in the order of their UTF-16 units; fields that are undefined are left out.
 * Equal values give equal text. The value must be JSON.
 */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  if (value !== null && typeof value === "object") {
    // Every commit of a promotion owes this for its statement: without lists in between it takes half the time.
    const fields = value as Readonly<Record<string, unknown>>
    let text = "{"
    for (const key of Object.keys(fields).sort()) {
      const field = fields[key]
      if (field === undefined) continue
      text += `${text.length === 1 ? "" : ","}${JSON.stringify(key)}:${canonicalJson(field)}`
    }
    return `${text}}`
  }
  return JSON.stringify(value)
}
