/**
 * The passkeys that count because the instance's chain says so. A row of the store makes nobody an approver: an enrolment
 * is a statement, signed, and endorsed by an owner's passkey that was stated before it. The first of all is taken as it is.
 */
import { Effect, Option, Schema } from "effect"
import { type Approver, Assertion } from "../model/Approver.ts"
import { UserId } from "../primitives/Ids.ts"
import { utf8 } from "../primitives/Digest.ts"
import { base64Bytes } from "../primitives/StrictBase64.ts"
import { challengeOf, enrolmentText } from "../provenance/ApprovalText.ts"
import { preAuthentication } from "../provenance/Envelope.ts"
import { predicateType } from "../provenance/Predicates.ts"
import { verifies } from "../provenance/PublicKeys.ts"
import { type HistoryEntry, isLinked } from "../provenance/SeenHistory.ts"
import { historyEntries, ReleaseTrust, type ReleaseTrustShape } from "../provenance/TrustedKeys.ts"
import { assertionProblem } from "../provenance/WebAuthn.ts"

const enrolment = Schema.fromJsonString(
  Schema.Struct({
    predicateType: Schema.Literal(predicateType("approver")),
    predicate: Schema.Struct({
      credential: Schema.String,
      spki: Schema.String,
      user: UserId,
      rpId: Schema.String,
      owner: Schema.optionalKey(Schema.Literal(true)),
      removed: Schema.optionalKey(Schema.Literal(true)),
      endorsement: Schema.optionalKey(Assertion)
    })
  })
)
const readEnrolment = Schema.decodeUnknownOption(enrolment)
type Enrolment = (typeof enrolment.Type)["predicate"]

/** A passkey as it was stated. */
type StatedPasskey = Pick<Approver, "credential" | "spki" | "user" | "rpId" | "owner"> & {
  readonly removed: boolean
}

/**
 * Whether a key of this installation has signed an entry. A key that has ended since may have: its heads are those of
 * Projects' chains, and without an endorsement it brings nobody in. Where nobody looks at signatures none is asked for.
 */
const isVouchedFor = Effect.fnUntraced(function* (
  { payload, signature }: NonNullable<HistoryEntry>,
  trust: ReleaseTrustShape
) {
  if (trust.mode === "off") return true
  const sig = signature === null ? null : base64Bytes(signature.sig)
  const key = signature === null ? null : yield* trust.keyOf(signature.keyid)
  if (sig === null || key?.use !== "statement") return false
  return yield* verifies(key, preAuthentication(utf8(payload)), sig)
})

const isEndorsed = Effect.fnUntraced(function* (stated: ReadonlyMap<string, StatedPasskey>, said: Enrolment) {
  const { endorsement } = said
  const by = endorsement === undefined ? undefined : stated.get(endorsement.credential)
  if (endorsement === undefined || by?.owner !== true || by.removed) return false
  const expected = { approver: by, challenge: challengeOf(enrolmentText(said)), origins: [] }
  return (yield* assertionProblem(endorsement, expected)) === null
})

/** All of them, by their credentials, those that were removed too; none while an entry of the chain is missing or changed. */
export const statedPasskeys = Effect.gen(function* () {
  const trust = yield* ReleaseTrust
  const entries = yield* historyEntries
  const stated = new Map<string, StatedPasskey>()
  if (!isLinked(entries)) return stated as ReadonlyMap<string, StatedPasskey>
  for (const entry of entries) {
    const said = entry === null ? null : (Option.getOrNull(readEnrolment(entry.payload))?.predicate ?? null)
    if (entry === null || said === null || !(yield* isVouchedFor(entry, trust))) continue
    const { credential, owner, rpId, spki, user } = said
    const before = stated.get(credential)
    if (said.removed === true) {
      if (before !== undefined) stated.set(credential, { ...before, removed: true })
    } else if (before === undefined && (stated.size === 0 || (yield* isEndorsed(stated, said))))
      stated.set(credential, {
        credential,
        spki,
        user,
        rpId,
        ...(owner === undefined ? {} : { owner }),
        removed: false
      })
  }
  return stated as ReadonlyMap<string, StatedPasskey>
})
