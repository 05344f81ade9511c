/**
 * A passkey's answer, checked (Web Authentication, "Verifying an Authentication Assertion"): what it says, and that it was
 * signed with the enrolled key. The counter is not looked at: passkeys that are kept in several places have none.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { Effect, Schema } from "effect"
import type { Approver, Assertion } from "../model/Approver.ts"
import { sameBytes, utf8 } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import { base64UrlBytes } from "../primitives/StrictBase64.ts"
import { readOnce } from "../primitives/StrictJson.ts"
import { exactText } from "../primitives/Utf8.ts"
import { verifies } from "./PublicKeys.ts"

/** What is wrong with an answer, in the order in which it is looked for. */
export const assertionProblems = {
  unreadable: "it cannot be read",
  other_credential: "it is of another passkey",
  other_type: "it is no answer to a request to sign in",
  other_challenge: "it was signed for something else",
  other_origin: "it was signed on another site",
  other_relying_party: "it was signed for another relying party",
  user_absent: "nobody was there (flag UP)",
  user_not_verified: "the person was not verified (flag UV)",
  signature_invalid: "the signature is not that of the enrolled key"
} as const
/** One of `assertionProblems`. */
export type AssertionProblem = keyof typeof assertionProblems

/** What an answer must be to. */
export interface Expected {
  /** The passkey that was enrolled. */
  readonly approver: Pick<Approver, "credential" | "spki" | "rpId">
  /** `challengeOf` the text. */
  readonly challenge: Uint8Array
  /** The sites that count; none for each that the relying party's name covers. */
  readonly origins: ReadonlyArray<string>
}

const isClientData = Schema.is(
  Schema.Struct({
    type: Schema.String,
    challenge: Schema.String,
    origin: Schema.String,
    crossOrigin: Schema.optionalKey(Schema.Boolean)
  })
)

const tls = /^https:\/\/([a-z0-9._-]+)(?::[0-9]+)?$/
const ownMachine = /^http:\/\/((?:[a-z0-9._-]+\.)?localhost)(?::[0-9]+)?$/

/** Whether pages of an origin may use passkeys of a relying party: its host has that name, or one below it. */
export const covers = (rpId: string, origin: string): boolean => {
  const host = (tls.exec(origin) ?? ownMachine.exec(origin))?.[1]
  return host !== undefined && (host === rpId || host.endsWith(`.${rpId}`))
}

// The digest of the relying party, a byte of flags, a counter of four bytes.
const digestBytes = 32
const leastBytes = 37
const userPresent = 0x01
const userVerified = 0x04

const saysProblem = (assertion: Assertion, authenticator: Uint8Array, client: Uint8Array, expected: Expected) => {
  const { approver, challenge, origins } = expected
  const read = readOnce(exactText(client) ?? "", Limits.envelopeBytes)
  const said = "value" in read && isClientData(read.value) ? read.value : null
  if (said === null || authenticator.length < leastBytes) return "unreadable"
  if (assertion.credential !== approver.credential) return "other_credential"
  if (said.type !== "webauthn.get") return "other_type"
  const asked = base64UrlBytes(said.challenge)
  if (asked === null || !sameBytes(asked, challenge)) return "other_challenge"
  const isSite = origins.length === 0 ? covers(approver.rpId, said.origin) : origins.includes(said.origin)
  if (!isSite || said.crossOrigin === true) return "other_origin"
  if (!sameBytes(authenticator.subarray(0, digestBytes), sha256(utf8(approver.rpId)))) return "other_relying_party"
  const flags = authenticator[digestBytes] ?? 0
  if ((flags & userPresent) === 0) return "user_absent"
  return (flags & userVerified) === 0 ? "user_not_verified" : null
}

/** What is wrong with an answer of a passkey; null for nothing. */
export const assertionProblem = (assertion: Assertion, expected: Expected): Effect.Effect<AssertionProblem | null> => {
  const [authenticator, client, signature] = [
    base64UrlBytes(assertion.authenticatorData),
    base64UrlBytes(assertion.clientDataJSON),
    base64UrlBytes(assertion.signature)
  ]
  if (authenticator === null || client === null || signature === null) return Effect.succeed("unreadable")
  const problem = saysProblem(assertion, authenticator, client, expected)
  if (problem !== null) return Effect.succeed(problem)
  const message = new Uint8Array(authenticator.length + digestBytes)
  message.set(authenticator)
  message.set(sha256(client), authenticator.length)
  const key = { spki: expected.approver.spki, algorithm: "ecdsa-p256-sha256" } as const
  return Effect.map(verifies(key, message, signature), (holds) => (holds ? null : "signature_invalid"))
}
