/** Opens envelopes: what is in one, whether its signature holds, and what is wrong with it. */
import { Limits } from "../primitives/Limits.ts"
import { readOnce } from "../primitives/StrictJson.ts"
import { exactText } from "../primitives/Utf8.ts"
import { payloadType } from "../provenance/Envelope.ts"
import { statementType } from "../provenance/Predicates.ts"
import type { PublicKey } from "../provenance/PublicKeys.ts"
import type { FindingCode } from "./Findings.ts"
import type { Engine } from "./Engine.ts"
import type { Line } from "./Material.ts"
import { kindOf, type Shaped, shaped } from "./StatementShapes.ts"

/** What is wrong with an envelope. */
export interface Fault {
  readonly code: FindingCode
  readonly words: string
}

/** An envelope as it was opened. Even one that is at fault is read as far as it can be, so that one fault is not told as ten. */
export interface Opened {
  readonly faults: ReadonlyArray<Fault>
  /** The payload; null where there is none. */
  readonly payload: Uint8Array | null
  /** The SHA-256 of the payload, in hex; null without one. */
  readonly digest: string | null
  /** Who is said to have signed, and the signature as bytes and as it is written; null for nobody. */
  readonly signature: { readonly keyid: string; readonly sig: Uint8Array | null; readonly text: string } | null
  /** What it says; null where that cannot be read. */
  readonly statement: Shaped | null
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const unreadable = (words: string): Opened => ({
  faults: [{ code: "statement_unreadable", words }],
  payload: null,
  digest: null,
  signature: null,
  statement: null
})

const signatureOf = (signatures: ReadonlyArray<unknown>, { base64 }: Engine): Opened["signature"] | "unreadable" => {
  const [first] = signatures
  if (first === undefined) return null
  if (!isFields(first) || typeof first["keyid"] !== "string" || typeof first["sig"] !== "string") return "unreadable"
  return { keyid: first["keyid"], sig: base64(first["sig"]), text: first["sig"] }
}

/** What a payload says, or why it says nothing. */
const statementOf = (payload: Uint8Array): Fault | Shaped => {
  const fault = (words: string): Fault => ({ code: "statement_unreadable", words })
  if (payload.length > Limits.statementBytes) return fault(`its payload has ${payload.length} bytes`)
  const text = exactText(payload)
  if (text === null) return fault("its payload is no UTF-8")
  const read = readOnce(text, Limits.statementBytes)
  if ("problem" in read) return fault(`its payload: ${read.problem}`)
  if (!isFields(read.value)) return fault("its payload is no object")
  const { _type, predicate, predicateType, subject } = read.value
  const kind = _type === statementType ? kindOf(predicateType) : undefined
  if (kind === undefined)
    return { code: "type_unknown", words: String(_type === statementType ? predicateType : _type) }
  return shaped(kind, subject, predicate) ?? fault(`it is not what a ${kind} says`)
}

const head = `{"payloadType":"${payloadType}","payload":"`
const tail = /^","signatures":\[\{"keyid":"([A-Za-z0-9+/:=]*)","sig":"([A-Za-z0-9+/=]*)"\}\]\}$/

/** What of an envelope is read. */
interface Sealed {
  readonly payload: unknown
  readonly payloadType: unknown
  readonly signatures: ReadonlyArray<unknown>
}

/**
 * An envelope that is written as Pawl writes them, which is read without looking for keys that are there twice: all of it
 * but three texts is known, and of those nothing stands for another character. Null for any other.
 */
const plainlySealed = (line: string): Sealed | null => {
  const end = line.startsWith(head) ? line.indexOf('"', head.length) : -1
  const found = end < 0 || line.length > Limits.envelopeBytes ? null : tail.exec(line.slice(end))
  if (found === null) return null
  const [, keyid, sig] = found
  // A payload with a character that stands for another one is no base64.
  return { payload: line.slice(head.length, end), payloadType, signatures: [{ keyid, sig }] }
}

const sealed = (line: string): Sealed | string => {
  const read = readOnce(line, Limits.envelopeBytes)
  if ("problem" in read) return read.problem
  if (!isFields(read.value)) return "it is no envelope"
  const { payload, payloadType, signatures } = read.value
  return Array.isArray(signatures) ? { payload, payloadType, signatures } : "it is no envelope"
}

/** Opens one envelope. Whether its signature holds is asked apart: `isSignedBy`. */
export const opened = (line: Line, engine: Engine): Opened => {
  if (line === null) return unreadable(`it is no UTF-8, or has more than ${Limits.envelopeBytes} bytes`)
  if (line === "") return unreadable("nothing is here that is a statement: its row or its file is damaged")
  const read = plainlySealed(line) ?? sealed(line)
  if (typeof read === "string") return unreadable(read)
  const { payload: text, payloadType: type, signatures } = read
  const payload = typeof text === "string" ? engine.base64(text) : null
  if (payload === null) return unreadable("it is no envelope")
  const signature = signatures.length > 1 ? "unreadable" : signatureOf(signatures, engine)
  if (signature === "unreadable") return unreadable("it has not one signature")
  const faults: Array<Fault> = []
  if (type !== payloadType) faults.push({ code: "envelope_type", words: String(type) })
  if (signature === null) faults.push({ code: "signature_missing", words: "nobody signed it" })
  const statement = statementOf(payload)
  const digest = engine.hex(payload)
  if ("code" in statement) return { faults: [...faults, statement], payload, digest, signature, statement: null }
  return { faults, payload, digest, signature, statement }
}

/** What an envelope is, however it is written: what it holds, and who is said to have signed that how. */
export const sealOf = ({ digest, signature }: Pick<Opened, "digest" | "signature">): string =>
  JSON.stringify([digest, signature?.keyid ?? null, signature?.text ?? null])

/** Whether the signature of an opened envelope is this key's. */
export const isSignedBy = (
  { payload, signature }: Opened,
  key: PublicKey,
  { holds, signedOf }: Engine
): Promise<boolean> =>
  payload === null || signature === null || signature.sig === null
    ? Promise.resolve(false)
    : holds(key, signedOf(payload), signature.sig)
