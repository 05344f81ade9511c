/** Approval: one decision per Candidate, bound to its exact composed tree. The first decision is final. */
import { Effect, Schema } from "effect"
import type { Actor } from "../access/Actor.ts"
import type { Candidate } from "../candidate/Candidate.ts"
import { CandidateLifecycle } from "../candidate/CandidateLifecycle.ts"
import { hasOtherVerified } from "../candidate/Staleness.ts"
import type { Change } from "../change/Change.ts"
import { leftWithout } from "../change/WithoutCandidate.ts"
import type { NewEvent } from "../event/Event.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Deciding.ts"
import * as Lifecycle from "../ledger/Lifecycle.ts"
import { Unknown } from "../ledger/Refusals.ts"
import { makeUlid } from "../primitives/Ids.ts"
import * as Time from "../primitives/Time.ts"
import { demandActive, still } from "../project/Archived.ts"
import type { Project } from "../project/Project.ts"
import { type Approval, type Decision, isValid } from "./Approval.ts"
import type { Policy } from "./Policy.ts"

/** No approval is owed by this Candidate. */
export class NotRequired extends Schema.TaggedError<NotRequired>()("NotRequired", {
  candidateId: Schema.String,
  status: Schema.String
}) {}

/** The Candidate was decided on before, and otherwise. The first decision stands. */
export class AlreadyDecided extends Schema.TaggedError<AlreadyDecided>()("AlreadyDecided", {
  candidateId: Schema.String,
  decision: Schema.String,
  approver: Schema.String
}) {}

/** The Policy does not let the author of a Change approve it. */
export class SelfApproval extends Schema.TaggedError<SelfApproval>()("SelfApproval", { changeId: Schema.String }) {}

/** Decides on a verified Candidate that owes an approval. The approver is the actor of the session. */
export const decide = (
  actor: Actor,
  input: { readonly changeId: string; readonly candidateId: string; readonly decision: Decision }
) =>
  decideAndCommit(
    Effect.gen(function* () {
      const change = yield* demand("change", input.changeId)
      const candidate = yield* demand("candidate", input.candidateId)
      // Through another Change's path the Candidate does not exist.
      if (candidate.record.changeId !== change.record.id)
        return yield* new Unknown({ kind: "candidate", id: input.candidateId })
      const before = yield* find("approval", input.candidateId)
      const policy = yield* demand("policy", candidate.record.projectId)
      // What its author granted is void under a Policy that forbids it: another person decides.
      if (before !== null && isValid(before.record, change.record, policy.record)) {
        if (before.record.decision === input.decision) return { answer: before.record }
        const { decision, approver } = before.record
        return yield* new AlreadyDecided({ candidateId: input.candidateId, decision, approver })
      }
      const project = yield* demandActive(candidate.record.projectId)
      const { plan_json: plan, tree, status } = candidate.record
      const owes = plan !== null && (plan.approvalRequired || policy.record.approvalRiskTiers.includes(plan.riskTier))
      if (status !== "verified" || !owes || tree === null)
        return yield* new NotRequired({ candidateId: input.candidateId, status })
      if (!policy.record.allowSelfApproval && change.record.createdBy.id === actor.id)
        return yield* new SelfApproval({ changeId: input.changeId })
      const now = yield* Time.now
      const approval: Approval = {
        id: `apr_${yield* makeUlid}`,
        projectId: candidate.record.projectId,
        candidateId: candidate.record.id,
        changeId: change.record.id,
        tree,
        decision: input.decision,
        approver: actor.id,
        decidedAt: now
      }
      const other = yield* hasOtherVerified(candidate.record, candidate.record.base_generation)
      const commit = decided({ approval, before, candidate, change, otherVerified: other, policy, project, actor })
      return { answer: approval, commit }
    })
  ).pipe(Effect.withSpan("Approvals.decide"))

interface Deciding {
  readonly approval: Approval
  /** The void decision that this one replaces. */
  readonly before: Commit.Stored<Approval> | null
  readonly candidate: Commit.Stored<Candidate>
  readonly change: Commit.Stored<Change>
  readonly otherVerified: boolean
  readonly policy: Commit.Stored<Policy>
  readonly project: Commit.Stored<Project>
  readonly actor: Actor
}

const decided = (deciding: Deciding): Commit.Commit => {
  const { actor, approval, before, candidate, change, otherVerified, policy, project } = deciding
  const data = { changeId: approval.changeId, approvalId: approval.id, tree: approval.tree }
  const reason = `rejected by ${approval.approver}`
  const next = Lifecycle.next(CandidateLifecycle, candidate.record.status, "approverRejected")
  const rejected = approval.decision === "rejected" && next._tag === "Right"
  const { candidateId, decidedAt: now } = approval
  const left = rejected ? leftWithout(change, { candidateId, reason, otherVerified, now, actor }) : null
  const events: Array<NewEvent> = [
    { type: `approval.${approval.decision}`, subject: approval.candidateId, data, actor }
  ]
  if (left !== null)
    events.push(
      {
        type: "candidate.rejected",
        subject: candidateId,
        data: { changeId: approval.changeId, reason },
        actor
      },
      ...left.events
    )
  return {
    name: "Approvals.decide",
    projectId: approval.projectId,
    expects: [Commit.unchanged("policy", approval.projectId, policy), still(project)],
    writes: [
      before === null ? Commit.insert("approval", approval) : Commit.update("approval", before, approval),
      Commit.update(
        "candidate",
        candidate,
        rejected ? { status: next.right, reason, updatedAt: now } : { updatedAt: now }
      ),
      ...(left?.writes ?? [])
    ],
    events
  }
}
