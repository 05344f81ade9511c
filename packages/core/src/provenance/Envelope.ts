/** DSSE v1.0.2: what is signed of a payload, and how payload and signature travel. */
import { Base64 } from "effect/encoding"
import type { Signature, Statement } from "../model/Statement.ts"
import { utf8 } from "../primitives/Digest.ts"

/** The payload type of every statement. */
export const payloadType = "application/vnd.in-toto+json"

/** A DSSE envelope with one signature. Sigstore bundles take no more. */
export interface Envelope {
  readonly payloadType: string
  /** The payload's bytes, base64. */
  readonly payload: string
  readonly signatures: ReadonlyArray<Signature>
}

/** The bytes that are signed: DSSE's pre-authentication encoding. */
export const preAuthentication = (payload: Uint8Array, type: string = payloadType): Uint8Array => {
  // A statement's type is ASCII, of which each character is a byte: verifying asks for this ten thousands of times.
  const isOwn = type === payloadType
  const text = `DSSEv1 ${isOwn ? type.length : utf8(type).length} ${type} ${payload.length} `
  const head = isOwn ? text : utf8(text)
  const bytes = new Uint8Array(head.length + payload.length)
  if (typeof head === "string") for (let at = 0; at < head.length; at++) bytes[at] = head.charCodeAt(at)
  else bytes.set(head)
  bytes.set(payload, head.length)
  return bytes
}

/** The envelope of a statement; without a signature while it has none. */
export const envelopeOf = ({ payload, signature }: Pick<Statement, "payload" | "signature">): Envelope => ({
  payloadType,
  payload: Base64.encode(utf8(payload)),
  signatures: signature === null ? [] : [signature]
})
