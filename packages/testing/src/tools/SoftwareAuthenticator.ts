/**
 * A passkey in software: what a browser's `navigator.credentials` would answer, with each part of it to be altered. By Web
 * Crypto alone: it runs on any engine.
 */
import { Effect } from "effect"
import { Base64, Base64Url } from "effect/encoding"
import type { Assertion } from "@pawl/core/model/Approver"
import { derOf } from "@pawl/core/provenance/PublicKeys"

/** Of Web Crypto's keys and of what makes and uses them: no more than is used here. */
interface Key {
  readonly type: string
}
declare const crypto: {
  readonly getRandomValues: (into: Uint8Array) => Uint8Array
  readonly subtle: {
    generateKey(
      algorithm: object,
      extractable: boolean,
      usages: ReadonlyArray<string>
    ): Promise<{ readonly privateKey: Key; readonly publicKey: Key }>
    exportKey(format: "spki", key: Key): Promise<ArrayBuffer>
    sign(algorithm: object, key: Key, data: Uint8Array): Promise<ArrayBuffer>
    digest(algorithm: "SHA-256", data: Uint8Array): Promise<ArrayBuffer>
  }
}
declare const TextEncoder: { new (): { encode(text: string): Uint8Array } }

/** A passkey of one relying party. */
export interface Passkey {
  /** The id of the credential, base64url. */
  readonly credential: string
  /** SPKI in DER, base64: what `getPublicKey()` answers. */
  readonly publicKey: string
  readonly rpId: string
  readonly privateKey: Key
}

/** What may be other than an honest authenticator and browser would have it. */
export interface Altered {
  readonly type?: string
  readonly rpId?: string
  /** Default 0x05: the person was there (0x01) and was verified (0x04). */
  readonly flags?: number
  /** Default 0: a passkey that is kept in several places counts nothing. */
  readonly counter?: number
  readonly crossOrigin?: boolean
  readonly credential?: string
}

const credentialBytes = 24
const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }

const made = async (rpId: string): Promise<Passkey> => {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"])
  return {
    credential: Base64Url.encode(crypto.getRandomValues(new Uint8Array(credentialBytes))),
    publicKey: Base64.encode(new Uint8Array(await crypto.subtle.exportKey("spki", publicKey))),
    rpId,
    privateKey
  }
}

/** A new one. */
export const newPasskey = (rpId: string): Effect.Effect<Passkey> => Effect.promise(() => made(rpId))

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const sha256 = async (data: Uint8Array) => new Uint8Array(await crypto.subtle.digest("SHA-256", data))
const joined = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]))

/** Four bytes, the highest first. */
const counted = (counter: number): Uint8Array =>
  Uint8Array.from([24, 16, 8, 0], (shift) => Math.floor(counter / 2 ** shift) % 256)

const signed = async (passkey: Passkey, challenge: string, origin: string, altered: Altered): Promise<Assertion> => {
  const { counter = 0, credential = passkey.credential, crossOrigin = false, flags = 0x05 } = altered
  const client = utf8(JSON.stringify({ type: altered.type ?? "webauthn.get", challenge, origin, crossOrigin }))
  const party = await sha256(utf8(altered.rpId ?? passkey.rpId))
  const authenticator = joined(party, Uint8Array.of(flags), counted(counter))
  const message = joined(authenticator, await sha256(client))
  const raw = new Uint8Array(await crypto.subtle.sign(algorithm, passkey.privateKey, message))
  return {
    credential,
    authenticatorData: Base64Url.encode(authenticator),
    clientDataJSON: Base64Url.encode(client),
    signature: Base64Url.encode(derOf(raw))
  }
}

/** What a passkey answers to a challenge (base64url) on a site. */
export const answerOf = (
  passkey: Passkey,
  challenge: string,
  origin: string,
  altered: Altered = {}
): Effect.Effect<Assertion> => Effect.promise(() => signed(passkey, challenge, origin, altered))
