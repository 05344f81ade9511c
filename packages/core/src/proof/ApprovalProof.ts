/** Approvals: whose they are, of which tree, and that the passkeys which signed them are the ones that were enrolled. */
import { Effect } from "effect"
import type { Assertion } from "../model/Approver.ts"
import { approvalText, challengeOf } from "../provenance/ApprovalText.ts"
import { assertionProblem } from "../provenance/WebAuthn.ts"
import type { MaterialUnreadable } from "./Material.ts"
import { type Proof, recordOf } from "./ProofState.ts"
import { type ApprovalText, isApproval, isMade, type PolicyText } from "./RecordShapes.ts"
import type { ApprovedFact, Approver, Promotion, SourceDigest } from "./StatementShapes.ts"

/** Whether the passkey signed this grant. One that does not say of which files and plan it was is of none. */
const isSigned = ({ trust }: Proof, approval: ApprovalText, passkey: Assertion, approver: Approver) => {
  const { approver: person, candidateId, changeId, plan, source, tree } = approval
  if (source === undefined || plan === undefined) return Effect.succeed(false)
  const bound = { change: changeId, candidate: candidateId, tree, source, plan, decision: "granted" as const }
  const challenge = challengeOf(approvalText({ project: trust.project, ...bound, approver: person }))
  const problem = assertionProblem(passkey, { approver, challenge, origins: trust.origins })
  return Effect.map(problem, (found) => found === null)
}

/** What a promotion's approvals are held against. */
interface Asked {
  readonly source: SourceDigest
  readonly policy: PolicyText | null
  /** The risk as it was planned, and as it was seen in the end. */
  readonly tiers: ReadonlyArray<string>
  /** Whether the plan says that people must approve. */
  readonly planned: boolean
}

/** Why an approval may not be carried over to what was promoted; null where it may. */
const carryProblem = (
  { carriedFrom, id }: ApprovedFact,
  { candidate }: Promotion,
  policy: PolicyText | null,
  mustSign: boolean
): string | null => {
  if (carriedFrom === undefined) return null
  if (carriedFrom.diff.sha256 !== candidate?.diff?.sha256) return `${id}: its difference is another one`
  if (policy !== null && (policy.lane?.mode !== "on" || policy.lane.carryApprovals !== "same-blobs"))
    return `${id}: the Policy carries none`
  // Its passkey has signed another tree, and what that did to its base nobody can look at here.
  return mustSign ? `${id}: a passkey must sign for this very tree` : null
}

/** One approval that a promotion stood on. Answers who gave it; null where it does not count. */
const checkOne = Effect.fnUntraced(function* (
  proof: Proof,
  where: string,
  approved: ApprovedFact,
  facts: Promotion,
  { mustSign, policy, source }: Pick<Asked, "policy" | "source"> & { readonly mustSign: boolean }
) {
  const { findings, history } = proof
  const { carriedFrom } = approved
  const problem = carryProblem(approved, facts, policy, mustSign)
  if (problem !== null) findings.say(where, "approval_not_carried", problem)
  const read = yield* recordOf(proof, where, { kind: "approval", id: approved.id, sha256: approved.record.sha256 })
  if (read === null) return null
  const approval = read.value
  if (!isApproval(approval)) {
    findings.say(where, "record_mismatch", `approval ${approved.id}: it is none`)
    return null
  }
  const tree = carriedFrom?.tree ?? source.gitTree
  const isOther = carriedFrom === undefined && approval.candidateId !== facts.candidate?.id
  if (approved.tree !== tree || approval.tree !== tree || isOther) {
    findings.say(where, "approval_other_tree", approved.id)
    return null
  }
  if (approval.decision !== "granted" || approval.approver !== approved.approver) {
    findings.say(where, "approval_missing", `${approved.id} was ${approval.decision} by ${approval.approver}`)
    return null
  }
  const { passkey } = approval
  if (passkey === undefined) return { approver: approval.approver, isSigned: false }
  const owner = history.approvers.get(passkey.credential)
  const isEnrolled = owner !== undefined && owner.facts.user === approval.approver && approval.decidedAt <= owner.until
  if (!isEnrolled) {
    findings.say(where, "approver_unknown", passkey.credential)
    return null
  }
  const isOtherPlan = carriedFrom === undefined && approval.plan !== facts.plan?.sha256
  const isOtherSource = carriedFrom === undefined && approval.source !== (source.dirHash ?? source.dirHash1)
  if (isOtherPlan || isOtherSource || !(yield* isSigned(proof, approval, passkey, owner.facts))) {
    findings.say(where, "approval_signature_invalid", approved.id)
    return null
  }
  return { approver: approval.approver, isSigned: true }
})

/** One ChangeSet of a promotion, as far as it is asked who made it. */
type Made = Pick<Promotion["made"][number], "author">

/** The ChangeSets of a promotion whose statement had no room for them: none where their list is not there, which is said. */
const listedBy = Effect.fnUntraced(function* (
  proof: Proof,
  where: string,
  { candidate }: Promotion,
  { count, sha256 }: NonNullable<Promotion["madeOf"]>
): Effect.fn.Return<ReadonlyArray<Made>, MaterialUnreadable> {
  const id = candidate?.id ?? ""
  const read = yield* recordOf(proof, where, { kind: "made", id, sha256 })
  if (read === null) return []
  if (isMade(read.value) && read.value.length === count) return read.value
  proof.findings.say(where, "record_mismatch", `made ${id}: it is no list of ${count} ChangeSets`)
  return []
})

/** Those whose work a promotion is. */
const authorsOf = ({ candidate }: Promotion, made: ReadonlyArray<Made>): ReadonlySet<string> =>
  new Set([
    ...(candidate === null ? [] : [candidate.openedBy]),
    ...made.flatMap(({ author }) => [author.id, ...(author.for === undefined ? [] : [author.for])])
  ])

/** The approvals that a promotion stood on, and whether they are enough. */
export const checkApprovals = Effect.fnUntraced(function* (
  proof: Proof,
  where: string,
  facts: Promotion,
  asked: Asked
) {
  const { findings, material } = proof
  const { policy, tiers } = asked
  const mustSign = policy?.approvalsSigned?.some((tier) => tiers.includes(tier)) ?? false
  const { made, madeOf } = facts
  const listed = madeOf === undefined ? [] : yield* listedBy(proof, where, facts, madeOf)
  const authors = policy?.allowSelfApproval === false ? authorsOf(facts, [...made, ...listed]) : new Set<string>()
  const people = new Set<string>()
  let told = false
  for (const approved of facts.approvals) {
    const given =
      material.record === null
        ? { approver: approved.approver, isSigned: true }
        : yield* checkOne(proof, where, approved, facts, { ...asked, mustSign })
    if (given !== null && authors.has(given.approver)) findings.say(where, "self_approval", given.approver)
    else if (given !== null && mustSign && !given.isSigned)
      findings.say(where, "approval_signature_invalid", `${approved.id}: no passkey signed it`)
    else if (given !== null) {
      people.add(given.approver)
      continue
    }
    told = true
  }
  const isOwed = asked.planned || tiers.some((tier) => policy?.approvalRiskTiers.includes(tier) ?? false)
  const owed = Math.max(facts.approvalsRequired, isOwed ? (policy?.approvalsRequired ?? 0) : 0)
  // What is wrong with one of them was said: that it is missing for that goes without saying.
  if (facts.approvals.length < owed || (!told && people.size < owed))
    findings.say(where, "approval_missing", `${people.size} of ${owed} people granted it`)
})
