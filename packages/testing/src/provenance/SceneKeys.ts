/** Keys, passkeys and signed notes of scenes: as an installation and its people would have them, all in this process. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { type Envelope, envelopeOf, preAuthentication } from "@pawl/core/provenance/Envelope"
import type { Assertion } from "@pawl/core/model/Approver"
import { utf8 } from "@pawl/core/primitives/Digest"
import { Effect } from "effect"
import * as SoftwareAuthenticator from "../tools/SoftwareAuthenticator.ts"

/** A key pair, and what others know of it. */
export interface SceneKey {
  /** `SHA256:` and the unpadded base64 of the SHA-256 of its SPKI. */
  readonly keyid: string
  /** SPKI in DER, base64. */
  readonly spki: string
  readonly algorithm: "ecdsa-p256-sha256" | "ed25519"
  readonly privateKey: KeyObject
}

const hashOf = (bytes: Uint8Array | string): Buffer => createHash("sha256").update(bytes).digest()

const keyOf = (algorithm: SceneKey["algorithm"]): SceneKey => {
  const pair =
    algorithm === "ed25519" ? generateKeyPairSync("ed25519") : generateKeyPairSync("ec", { namedCurve: "P-256" })
  const der = pair.publicKey.export({ type: "spki", format: "der" })
  const keyid = `SHA256:${hashOf(der).toString("base64").replace(/=+$/, "")}`
  return { keyid, spki: der.toString("base64"), algorithm, privateKey: pair.privateKey }
}

/** A key for statements. */
export const newStatementKey = (): SceneKey => keyOf("ecdsa-p256-sha256")
/** A key for checkpoints. */
export const newLogKey = (): SceneKey => keyOf("ed25519")

/** A signature of a message, base64. */
export const signatureOf = ({ algorithm, privateKey }: SceneKey, message: Uint8Array): string =>
  sign(algorithm === "ed25519" ? null : "sha256", message, privateKey).toString("base64")

/** The line of an envelope around a payload, signed with a key. `keyid` says another one's name. */
export const sealed = (key: SceneKey, payload: string, keyid = key.keyid): string => {
  const sig = signatureOf(key, preAuthentication(utf8(payload)))
  const envelope: Envelope = envelopeOf({ payload, signature: { keyid, sig } })
  return JSON.stringify(envelope)
}

const noteType = 1
const rawBytes = 32
const hintBytes = 4

/** A checkpoint as a signed note (C2SP): the origin is the key's name too. */
export const signedNote = (key: SceneKey, origin: string, size: number, root: Uint8Array): string => {
  const text = `${origin}\n${size}\n${Buffer.from(root).toString("base64")}\n`
  const raw = Buffer.from(key.spki, "base64").subarray(-rawBytes)
  const hint = hashOf(Buffer.concat([Buffer.from(`${origin}\n`), Buffer.of(noteType), raw])).subarray(0, hintBytes)
  const signature = sign(null, Buffer.from(text), key.privateKey)
  return `${text}\n— ${origin} ${Buffer.concat([hint, signature]).toString("base64")}\n`
}

/** A passkey of a person. */
export interface ScenePasskey {
  readonly credential: string
  readonly spki: string
  readonly rpId: string
  /** What `navigator.credentials.get` answers for the SHA-256 of a text. */
  readonly get: (text: string) => Promise<Assertion>
}

/** A new passkey of a site. */
export const newPasskey = async (origin: string): Promise<ScenePasskey> => {
  const passkey = await Effect.runPromise(SoftwareAuthenticator.newPasskey(new URL(origin).hostname))
  const { credential, publicKey, rpId } = passkey
  const get = (text: string) =>
    Effect.runPromise(SoftwareAuthenticator.answerOf(passkey, hashOf(text).toString("base64url"), origin))
  return { credential, spki: publicKey, rpId, get }
}
