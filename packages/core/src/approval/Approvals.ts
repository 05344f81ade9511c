/**
 * Approval: decisions on a Candidate, bound to its exact composed tree. Each person decides once, until as many have
 * granted as the Policy asks for; one rejection is final.
 */
import { Effect, Schema } from "effect"
import { refuseAgents } from "../access/Access.ts"
import { checkName } from "../access/Names.ts"
import type { Actor } from "../model/Actor.ts"
import type { Candidate } from "../model/Candidate.ts"
import { hasOtherVerified, provisionally } from "../candidate/Staleness.ts"
import type { Change } from "../model/Change.ts"
import { laneStepBehind, laneStepOf } from "../work/LaneWork.ts"
import { loseCandidateForGood } from "../change/LostCandidate.ts"
import { evidenceOf } from "../verification/CandidateEvidence.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Unknown } from "../ledger/Refusals.ts"
import { makeUlid } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { demandActive, unchangedProject } from "../project/ArchivedProject.ts"
import type { Project } from "../model/Project.ts"
import { brokenOf, needsApproval } from "./OwedApproval.ts"
import type { Approval, Decision } from "../model/Approval.ts"
import type { Head } from "../model/Generation.ts"
import type { Assertion } from "../model/Approver.ts"
import type { Policy } from "../model/Policy.ts"
import { PasskeyRequired, signedFields } from "./SignedDecision.ts"
import { authorsOf, counts, decisionsOn, type Decisions, type Standing, standingOf } from "./Standing.ts"

/** No approval is owed by this Candidate. */
export class NotRequired extends Schema.TaggedError<NotRequired>()("NotRequired", {
  candidateId: Schema.String,
  status: Schema.String
}) {
  override get message() {
    return `This Candidate is ${this.status} and owes no decision now.`
  }
}

/** The Candidate was decided on before, and otherwise. The first decision stands. */
export class AlreadyDecided extends Schema.TaggedError<AlreadyDecided>()("AlreadyDecided", {
  candidateId: Schema.String,
  decision: Schema.String,
  approver: Schema.String
}) {
  override get message() {
    return `${this.approver} decided ${this.decision}. That stands.`
  }
}

/** The Policy does not let those approve a Candidate who opened its Change or wrote what is in it. */
export class SelfApproval extends Schema.TaggedError<SelfApproval>()("SelfApproval", { changeId: Schema.String }) {
  override get message() {
    return `The Policy does not let those decide on ${this.changeId} who opened it or wrote what is in it. Ask another member.`
  }
}

interface Input {
  readonly changeId: string
  readonly candidateId: string
  readonly decision: Decision
  /** The answer of the approver's passkey to the challenge of this decision. */
  readonly passkey?: Assertion
  /** What the approver says beside it. */
  readonly note?: string
}

/**
 * Decides on a verified Candidate that owes an approval. The approver is the actor of the session. The same decision
 * again answers the stored one. Fails with `AlreadyDecided`, `NotRequired`, `SelfApproval`, `PasskeyRequired`,
 * `PasskeyRefused`, `InvalidField` (note), `ProjectArchived` or `Unknown`, and for an agent with `InsufficientScope`.
 */
export const decide = (actor: Actor, input: Input) =>
  decideAndCommit(
    Effect.gen(function* () {
      yield* refuseAgents(actor, "approve")
      const { note } = input
      if (note !== undefined) yield* checkName("note", note, Limits.approvalNoteLength)
      const change = yield* demand("change", input.changeId)
      const candidate = yield* demand("candidate", input.candidateId)
      // Through another Change's path the Candidate does not exist.
      if (candidate.record.changeId !== change.record.id)
        return yield* new Unknown({ kind: "candidate", id: input.candidateId })
      const policy = yield* demand("policy", candidate.record.projectId)
      const before = yield* decisionsOn(candidate.record, change.record, policy.record)
      const { tree, status } = candidate.record
      const standing = standingOf(before, tree, policy.record)
      const stands = standsAlready(actor, input.decision, before, standing, policy.record)
      if (stands?.decision === input.decision) return { answer: stands }
      if (stands !== null) return yield* new AlreadyDecided(alreadyBy(stands))
      const project = yield* demandActive(candidate.record.projectId)
      const evidence = yield* evidenceOf(input.candidateId)
      const owes = needsApproval({ candidate, evidence, policy })
      if (status !== "verified" || !owes || tree === null)
        return yield* new NotRequired({ candidateId: input.candidateId, status })
      if (!policy.record.allowSelfApproval && (yield* authorsOf(candidate.record, change.record)).has(actor.id))
        return yield* new SelfApproval({ changeId: input.changeId })
      const { decision, passkey } = input
      if (before.signed && decision === "granted" && passkey === undefined)
        return yield* new PasskeyRequired({ candidateId: input.candidateId })
      const signed = passkey === undefined ? {} : yield* signedFields(candidate.record, decision, actor.id, passkey)
      const broken = brokenOf({ candidate, evidence }).map(({ checkId }) => checkId)
      const approval: Approval = {
        id: `apr_${yield* makeUlid}`,
        projectId: candidate.record.projectId,
        candidateId: candidate.record.id,
        changeId: change.record.id,
        tree,
        decision: input.decision,
        approver: actor.id,
        decidedAt: yield* Time.now,
        ...(before.approvals.length === 0 ? {} : { nth: before.approvals.length + 1 }),
        ...signed,
        ...(note === undefined ? {} : { note }),
        ...(broken.length === 0 ? {} : { brokenPromises: broken })
      }
      const owed = approval.decision === "granted" ? standing.owed - 1 : standing.owed
      const head = yield* demand("head", candidate.record.projectId)
      const other = yield* hasOtherVerified(candidate.record, head.record)
      const rows = { candidate, change, head: head.record, policy, project }
      const commit = decided({ ...rows, approval, owed, otherVerified: other, actor })
      return { answer: approval, commit }
    })
  ).pipe(Effect.withSpan("Approvals.decide"))

const alreadyBy = ({ candidateId, decision, approver }: Approval) => ({ candidateId, decision, approver })

/**
 * The decision that this person's is measured by: what settled the Candidate, else their own. Null while they may still
 * decide. What was carried over nobody has said of this Candidate: while any of that counts it may be rejected.
 */
const standsAlready = (
  actor: Actor,
  decision: Decision,
  decisions: Decisions,
  { granted, owed, rejected }: Standing,
  policy: Policy
): Approval | null => {
  const mine = decisions.approvals.map(({ record }) => record).filter(({ approver }) => approver === actor.id)
  const own = mine.findLast(({ derivedFrom }) => derivedFrom === undefined || decision === "granted") ?? null
  if (rejected !== null) return own?.decision === "rejected" ? own : rejected
  if (own !== null && counts(own, decisions, policy)) return own
  if (decision === "rejected" && granted.some(({ derivedFrom }) => derivedFrom !== undefined)) return null
  return owed === 0 ? (granted.at(-1) ?? null) : null
}

interface Deciding {
  readonly approval: Approval
  /** How many more people must grant after this decision. */
  readonly owed: number
  readonly candidate: Commit.Stored<Candidate>
  readonly change: Commit.Stored<Change>
  readonly head: Head
  readonly otherVerified: boolean
  readonly policy: Commit.Stored<Policy>
  readonly project: Commit.Stored<Project>
  readonly actor: Actor
}

/** It writes the Candidate too: of two decisions at once the second is made anew, knowing the first. */
const decided = (deciding: Deciding): Commit.Commit => {
  const { actor, approval, candidate, change, head, otherVerified, owed, policy, project } = deciding
  const { candidateId, changeId, decidedAt, id, note, projectId, tree } = approval
  const draft = Draft.begin(projectId, actor, decidedAt)
  const told = { changeId, approvalId: id, tree, owed, ...(note === undefined ? {} : { note }) }
  Draft.expect(draft, Commit.unchanged("policy", projectId, policy), unchangedProject(project))
  Draft.insert(draft, "approval", approval)
  if (approval.decision === "granted") {
    Draft.update(draft, "candidate", candidate, { updatedAt: decidedAt })
    Draft.emit(draft, "approval.granted", candidateId, told)
  } else {
    const reason = `rejected by ${approval.approver}${note === undefined ? "" : `: ${note}`}`
    const lost = { changeId, reason, ...provisionally(candidate.record, head) }
    const rejected = { "approval.rejected": told, "candidate.rejected": lost }
    Draft.step(draft, "candidate", candidate, "approverRejected", { reason, rejection: "rejected_by_person" }, rejected)
    loseCandidateForGood(draft, change, { candidateId, reason, otherVerified })
  }
  Draft.send(draft, ...laneStepOf(change.record), ...laneStepBehind(change.record, policy.record))
  return Draft.end(draft, { name: "Approvals.decide" })
}
