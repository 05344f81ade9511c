/**
 * Passkeys with which people sign their decisions. The first is an owner's, and is taken as it is; each later one is
 * endorsed by the passkey of an owner, so that a thief of the server cannot add their own unseen. Each enrolment and each
 * removal is a statement of the instance's chain.
 */
import { Effect, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { InsufficientRole } from "../access/Access.ts"
import { installationRole } from "../access/Organizations.ts"
import { demandEnabled } from "../access/Tokens.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import { InvalidField, Unknown } from "../ledger/Refusals.ts"
import type { Approver, Assertion } from "../model/Approver.ts"
import type { User } from "../model/Membership.ts"
import { sha256AtOnce } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import { Settings } from "../primitives/Settings.ts"
import * as Time from "../primitives/Time.ts"
import { challengeOf, enrolmentText } from "../provenance/ApprovalText.ts"
import { enchained } from "../provenance/InstanceChain.ts"
import type { ApproverFacts } from "../provenance/Predicates.ts"
import { publicKeyOf } from "../provenance/PublicKeys.ts"
import { base64Bytes } from "../primitives/StrictBase64.ts"
import type { Fact } from "../provenance/Statements.ts"
import { covers } from "../provenance/WebAuthn.ts"
import { checkAssertion } from "./SignedDecision.ts"
import { statedPasskeys } from "./StatedPasskeys.ts"

/** A passkey is enrolled already that must endorse this one. */
export class EndorsementRequired extends Schema.TaggedError<EndorsementRequired>()("EndorsementRequired", {
  text: Schema.String,
  challenge: Schema.String,
  credentials: Schema.Array(Schema.String)
}) {
  override get message() {
    return "Passkeys are enrolled already: one of an owner must endorse this one. Have it sign the challenge, the SHA-256 of the text, and send its answer as endorsement."
  }
}

/** The id of a credential is enrolled, for somebody else or with another key, or was removed. */
export class CredentialTaken extends Schema.TaggedError<CredentialTaken>()("CredentialTaken", {
  credential: Schema.String
}) {
  override get message() {
    return "A credential of this id was enrolled before. Make a new passkey."
  }
}

/** The user has as many passkeys as one may have. */
export class ApproverLimit extends Schema.TaggedError<ApproverLimit>()("ApproverLimit", { max: Schema.Finite }) {
  override get message() {
    return `This user has ${this.max} passkeys, and no more may be enrolled. Remove one.`
  }
}

/** Without this passkey nobody could ever endorse another one. */
export class LastEndorser extends Schema.TaggedError<LastEndorser>()("LastEndorser", { credential: Schema.String }) {
  override get message() {
    return "This is the only passkey of an owner, and without one none can be enrolled any more. Enrol another one of an owner first."
  }
}

/** What is asked of a new passkey. */
export interface NewApprover {
  /** The id of the credential, base64url. */
  readonly credential: string
  /** SPKI in DER, base64. */
  readonly publicKey: string
  readonly rpId: string
  /** Whose it is; default: who asks. */
  readonly user?: string
  readonly endorsement?: Assertion
}

const refuse = (field: string, reason: string) => new InvalidField({ code: "invalid_field", field, reason })

const relyingParty = /^(?:localhost|(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9])$/

const checkFields = Effect.fnUntraced(function* ({ credential, publicKey, rpId }: NewApprover) {
  if (!/^[A-Za-z0-9_-]+$/.test(credential) || credential.length > Limits.credentialIdLength)
    return yield* refuse("credential", `base64url without padding, at most ${Limits.credentialIdLength} characters`)
  const spki = base64Bytes(publicKey)
  const key = spki === null ? null : publicKeyOf(spki)
  if (key?.algorithm !== "ecdsa-p256-sha256")
    return yield* refuse("publicKey", "the SPKI of a P-256 key (ES256) in DER, base64")
  if (!relyingParty.test(rpId)) return yield* refuse("rpId", "localhost or a name in lower case, no address")
  const { apiOrigin, appsDomain } = yield* Settings
  if (apiOrigin !== undefined && !covers(rpId, apiOrigin))
    return yield* refuse("rpId", `the host of ${apiOrigin}, or a name that it ends with`)
  // A browser lets a page of any app ask for passkeys of a name that its own host ends with. For development there is no other.
  if (appsDomain !== null && rpId !== "localhost" && covers(rpId, `https://${appsDomain}`))
    return yield* refuse(
      "rpId",
      `a name that no app's host ends with: pages below ${appsDomain} could use passkeys of ${rpId}. Serve the API on a name beside the apps' domain`
    )
  return key.spki
})

const isOwner = (userId: string) => Effect.map(installationRole(userId), (role) => role === "owner")

const all = Effect.flatMap(Records, (records) => records.list("approver", { limit: "all" })).pipe(
  Effect.map(({ items }) => items.map(({ record }) => record))
)

/** Those of whom an endorsement counts today. */
const endorsers = (approvers: ReadonlyArray<Approver>) =>
  Effect.filter(
    approvers.filter(({ owner, removedAt }) => owner === true && removedAt === null),
    ({ user }) => isOwner(user)
  )

type Enrolled = Pick<Approver, "credential" | "spki" | "user" | "rpId" | "owner">

const checkEndorsement = Effect.fnUntraced(function* (
  callerId: string,
  enrolled: Enrolled,
  approvers: ReadonlyArray<Approver>,
  endorsement: Assertion | undefined
) {
  const text = enrolmentText(enrolled)
  const may = yield* endorsers(approvers)
  if (endorsement === undefined)
    return yield* new EndorsementRequired({
      text,
      challenge: Base64Url.encode(challengeOf(text)),
      credentials: (yield* isOwner(callerId)) ? may.map(({ credential }) => credential) : []
    })
  yield* checkAssertion(
    endorsement,
    may.find(({ credential }) => credential === endorsement.credential),
    text
  )
})

const factOf = (enrolled: Enrolled, beside: Pick<ApproverFacts, "removed" | "endorsement">): Fact<"approver"> => {
  const { credential, owner, rpId, spki, user } = enrolled
  return {
    kind: "approver",
    generation: null,
    subject: [{ name: credential, digest: { sha256: sha256AtOnce(base64Bytes(spki) ?? new Uint8Array(0)) } }],
    facts: { credential, spki, user, rpId, ...(owner === undefined ? {} : { owner }), ...beside }
  }
}

const enrolling = Effect.fnUntraced(function* (callerId: string, input: NewApprover) {
  const spki = yield* checkFields(input)
  const { credential, rpId } = input
  const asked = yield* isOwner(callerId)
  const person = input.user ?? callerId
  if (person !== callerId && !asked) return yield* new InsufficientRole({ held: "member", needed: "owner" })
  const user = yield* demandEnabled(person)
  const known = (yield* find("approver", credential))?.record
  if (known !== undefined) {
    const same = known.user === person && known.spki === spki && known.rpId === rpId && known.removedAt === null
    return same ? { answer: known } : yield* new CredentialTaken({ credential })
  }
  const owner = yield* isOwner(person)
  const enrolled: Enrolled = { credential, spki, user: user.record.id, rpId, ...(owner ? { owner: true } : {}) }
  const approvers = yield* all
  if (approvers.filter((each) => each.user === person && each.removedAt === null).length >= Limits.passkeysPerUser)
    return yield* new ApproverLimit({ max: Limits.passkeysPerUser })
  // Whoever deletes the rows makes no passkey the first: the chain still has those that were.
  const isFirst = approvers.length === 0 && (yield* statedPasskeys).size === 0
  if (!isFirst) yield* checkEndorsement(callerId, enrolled, approvers, input.endorsement)
  else if (!owner || person !== callerId) return yield* new InsufficientRole({ held: "member", needed: "owner" })
  const now = yield* Time.now
  const endorsement = isFirst ? undefined : input.endorsement
  const { commands, statement, writes } = yield* enchained(
    factOf(enrolled, endorsement === undefined ? {} : { endorsement }),
    now
  )
  const approver: Approver = { ...enrolled, enrolledAt: statement.entry, removedAt: null, createdAt: now }
  const expects = [Commit.unchanged("user", person, user)]
  return {
    answer: approver,
    commit: {
      name: "Approvers.enrol",
      projectId: null,
      expects,
      writes: [Commit.insert("approver", approver), ...writes],
      commands
    }
  }
})

/**
 * Enrols a passkey, for who asks or, by an owner of the installation's organization, for another user. The first must be
 * such an owner's own. Asked again with the same it answers the one that is there. Fails with `EndorsementRequired`,
 * `PasskeyRefused`, `CredentialTaken`, `ApproverLimit`, `InsufficientRole`, `InvalidField` or `Unknown`.
 */
export const enrol = (callerId: string, input: NewApprover) =>
  decideAndCommit(enrolling(callerId, input)).pipe(Effect.withSpan("Approvers.enrol"))

const removing = Effect.fnUntraced(function* (callerId: string, credential: string) {
  const missing = new Unknown({ kind: "approver", id: credential })
  const stored = yield* find("approver", credential)
  if (stored === null || (stored.record.user !== callerId && !(yield* isOwner(callerId)))) return yield* missing
  if (stored.record.removedAt !== null) return { answer: stored.record }
  const rest = (yield* all).filter((each) => each.credential !== credential)
  if (stored.record.owner === true && (yield* endorsers(rest)).length === 0)
    return yield* new LastEndorser({ credential })
  const { commands, statement, writes } = yield* enchained(factOf(stored.record, { removed: true }), yield* Time.now)
  const removed: Approver = { ...stored.record, removedAt: statement.entry }
  return {
    answer: removed,
    commit: {
      name: "Approvers.remove",
      projectId: null,
      writes: [Commit.update("approver", stored, removed), ...writes],
      commands
    }
  }
})

/**
 * Ends a passkey: what it signed counts no longer for a Candidate that is not promoted yet. Its person may, and an owner
 * of the installation's organization. Fails with `LastEndorser` or `Unknown`.
 */
export const remove = (callerId: string, credential: string) =>
  decideAndCommit(removing(callerId, credential)).pipe(Effect.withSpan("Approvers.remove"))

/** The passkeys that a user may see, oldest first, a page at a time: all of them for an owner, their own for others. */
export const list = Effect.fnUntraced(function* (
  callerId: User["id"],
  page: { readonly limit?: number; readonly cursor?: string }
) {
  const where = (yield* isOwner(callerId)) ? {} : { where: { user: callerId } }
  const found = yield* (yield* Records).list("approver", { ...where, ...page })
  return { items: found.items.map(({ record }) => record), nextCursor: found.nextCursor }
})
