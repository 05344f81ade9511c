/** Decisions that a passkey has signed: when they are owed, what is signed, and which of them hold. */
import { Effect, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import type { Stored } from "../ledger/Commit.ts"
import { find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import type { Approval, Decision } from "../model/Approval.ts"
import type { Approver, Assertion } from "../model/Approver.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Policy } from "../model/Policy.ts"
import { Settings } from "../primitives/Settings.ts"
import { type ApprovalClaim, approvalText, challengeOf, claimOf, planDigest } from "../provenance/ApprovalText.ts"
import { assertionProblem, type AssertionProblem, assertionProblems } from "../provenance/WebAuthn.ts"
import { evidenceOf } from "../verification/CandidateEvidence.ts"
import { riskAfter } from "../verification/Gate.ts"
import { statedPasskeys } from "./StatedPasskeys.ts"

const problems = {
  ...assertionProblems,
  not_enrolled: "no passkey of this id is enrolled for who must sign",
  not_bound: "this Candidate was composed before decisions could be signed: ask for it again"
} as const

/** The answer of a passkey does not sign what it should. */
export class PasskeyRefused extends Schema.TaggedError<PasskeyRefused>()("PasskeyRefused", {
  problem: Schema.Literals([
    "unreadable",
    "other_credential",
    "other_type",
    "other_challenge",
    "other_origin",
    "other_relying_party",
    "user_absent",
    "user_not_verified",
    "signature_invalid",
    "not_enrolled",
    "not_bound"
  ])
}) {
  override get message() {
    return `The passkey's answer is refused: ${problems[this.problem]}.`
  }
}

/** The Policy wants decisions on such a Candidate signed by a passkey. */
export class PasskeyRequired extends Schema.TaggedError<PasskeyRequired>()("PasskeyRequired", {
  candidateId: Schema.String
}) {
  override get message() {
    return `The Policy counts an approval of this risk only when a passkey has signed it. Ask for the challenge of ${this.candidateId}, and send the passkey's answer with the decision.`
  }
}

/** Whether decisions on a Candidate must be signed: by the risk of its plan, or what its checks made of that. */
export const mustSign = Effect.fnUntraced(function* (candidate: Candidate, policy: Pick<Policy, "approvalsSigned">) {
  const tiers = policy.approvalsSigned ?? []
  const { commit, id, plan, tree } = candidate
  if (tiers.length === 0 || plan === null || commit === null || tree === null) return false
  return tiers.includes(plan.riskTier) || tiers.includes(riskAfter(plan, { commit, tree }, yield* evidenceOf(id)))
})

/** What a decision on a Candidate is bound to; null for one that has no tree, no plan or no digest of its files. */
const claimFor = (candidate: Candidate, decision: Decision, approver: string): ApprovalClaim | null => {
  const { changeId, dirHash, id, plan, projectId, tree } = candidate
  if (tree === null || plan === null || dirHash === undefined) return null
  const bound = { tree, source: dirHash, plan: planDigest(plan) }
  return { project: projectId, change: changeId, candidate: id, ...bound, decision, approver }
}

/** Fails with `PasskeyRefused` unless this enrolled passkey signed this text, on this installation's own site. */
export const checkAssertion = Effect.fnUntraced(function* (
  assertion: Assertion,
  approver: Approver | undefined,
  text: string
) {
  if (approver === undefined || approver.removedAt !== null)
    return yield* new PasskeyRefused({ problem: "not_enrolled" })
  const { apiOrigin } = yield* Settings
  const expected = { approver, challenge: challengeOf(text), origins: apiOrigin === undefined ? [] : [apiOrigin] }
  const problem: AssertionProblem | null = yield* assertionProblem(assertion, expected)
  if (problem !== null) return yield* new PasskeyRefused({ problem })
})

/** What is kept of a signed decision beside what each has. Fails with `PasskeyRefused`. */
export const signedFields = Effect.fnUntraced(function* (
  candidate: Candidate,
  decision: Decision,
  approver: string,
  passkey: Assertion
) {
  const claim = claimFor(candidate, decision, approver)
  if (claim === null) return yield* new PasskeyRefused({ problem: "not_bound" })
  const enrolled = (yield* find("approver", passkey.credential))?.record
  yield* checkAssertion(passkey, enrolled?.user === approver ? enrolled : undefined, approvalText(claim))
  return { source: claim.source, plan: claim.plan, passkey }
})

type Stated = Effect.Success<typeof statedPasskeys>

/** Whether a stored decision is signed for this Candidate by a passkey of its approver that counts today. */
const holds = Effect.fnUntraced(function* (stated: Stated, approval: Approval, candidate: Candidate) {
  const claim = claimOf(approval)
  const now = claimFor(candidate, approval.decision, approval.approver)
  if (claim === null || now === null || approval.passkey === undefined) return false
  const text = approvalText(claim)
  const enrolled = (yield* find("approver", approval.passkey.credential))?.record
  if (text !== approvalText(now) || enrolled === undefined || enrolled.removedAt !== null) return false
  // The row may end a passkey; it makes none.
  const approver = stated.get(approval.passkey.credential)
  if (approver === undefined || approver.removed || approver.user !== approval.approver) return false
  // The installation's address may have become another one since it was signed.
  const expected = { approver, challenge: challengeOf(text), origins: [] }
  return (yield* assertionProblem(approval.passkey, expected)) === null
})

/**
 * Ids of the grants that do not count because no passkey has signed them for this very Candidate: so none that was
 * carried over. Verified anew from the records, and by passkeys that the instance's chain states.
 */
export const unsignedOf = Effect.fnUntraced(function* (
  approvals: ReadonlyArray<Stored<Approval>>,
  candidate: Candidate
) {
  const grants = approvals.filter(({ record }) => record.decision === "granted")
  const stated: Stated = grants.some(({ record }) => record.passkey !== undefined) ? yield* statedPasskeys : new Map()
  const unsigned = yield* Effect.filter(grants, ({ record }) =>
    Effect.map(holds(stated, record, candidate), (good) => !good)
  )
  return new Set(unsigned.map(({ record }) => record.id as string))
})

/** What a person's passkeys are asked to sign. */
interface Asked {
  /** Canonical JSON: what the decision is bound to. */
  readonly text: string
  /** Its SHA-256, base64url. */
  readonly challenge: string
  /** The person's passkeys that count. */
  readonly credentials: ReadonlyArray<{ readonly credential: string; readonly rpId: string }>
}

/** What a person signs to decide on a Candidate. Fails with `PasskeyRefused` for a Candidate that cannot be signed for. */
export const challengeFor = Effect.fnUntraced(function* (candidate: Candidate, decision: Decision, approver: string) {
  const claim = claimFor(candidate, decision, approver)
  if (claim === null) return yield* new PasskeyRefused({ problem: "not_bound" })
  const text = approvalText(claim)
  return {
    text,
    challenge: Base64Url.encode(challengeOf(text)),
    credentials: yield* passkeysOf(approver)
  } satisfies Asked
})

const passkeysOf = (user: string) =>
  Effect.flatMap(Records, (records) => records.list("approver", { where: { user }, limit: "all" })).pipe(
    Effect.map(({ items }) =>
      items.flatMap(({ record: { credential, removedAt, rpId } }) => (removedAt === null ? [{ credential, rpId }] : []))
    )
  )
