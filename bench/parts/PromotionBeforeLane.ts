/**
 * The decision of a promotion as it was before there was a lane, of a Candidate that may be promoted: what it looked at and
 * what it committed then, in the same order. No lane and no freeze is asked for, no commit of a base is compared, nothing
 * is sent to a lane. What it stands on is today's, on both sides: how checks are judged and decisions are counted, drafts,
 * the life of a Change, statements, the store.
 */
import { needsApproval } from "@pawl/core/approval/OwedApproval"
import { standingOf } from "@pawl/core/approval/Standing"
import { isPromoting, noPromotion } from "@pawl/core/change/LostCandidate"
import * as Commit from "@pawl/core/ledger/Commit"
import * as Draft from "@pawl/core/ledger/Draft"
import { approvalKey } from "@pawl/core/model/Approval"
import { commandId } from "@pawl/core/model/Command"
import { generationKey } from "@pawl/core/model/Entities"
import type { Generation } from "@pawl/core/model/Generation"
import type { Release } from "@pawl/core/model/Release"
import { type EvidenceId, releaseId } from "@pawl/core/primitives/Ids"
import { type Ask, buildIsOwed, type Snapshot } from "@pawl/core/promotion/Canonical"
import { promotionFact } from "@pawl/core/promotion/PromotionFacts"
import { say } from "@pawl/core/provenance/Chains"
import { judge } from "@pawl/core/verification/Gate"

const standing = ({ candidate, decisions, policy }: Snapshot) =>
  standingOf(decisions, candidate.record.tree, policy.record)

/** Whether nothing stands in its way: each of the reasons that there were then. */
const isFree = (read: Snapshot, { now }: Ask): boolean => {
  const { candidate, change, evidence, head, policy } = read
  const { baseGeneration, baseTree, commit, id, plan, status, tree } = candidate.record
  if (status !== "verified" || plan === null || commit === null || tree === null) return false
  if (baseGeneration !== head.record.generation || baseTree !== head.record.tree) return false
  const { owed, rejected } = standing(read)
  return (
    judge(plan, { commit, tree }, evidence, now).checks.every(
      ({ required, verdict }) => !required || verdict === "pass"
    ) &&
    !buildIsOwed(read) &&
    plan.policyVersion === policy.record.version &&
    read.composedCommitExists &&
    rejected === null &&
    (!needsApproval(read) || owed === 0) &&
    (change.record.status !== "promoting" || isPromoting(change.record, id))
  )
}

/** The generation that it makes, with the evidence and the grants that it stands on. */
const stepOf = (read: Snapshot, { actor, now, trigger }: Ask) => {
  const { candidate, change, evidence, head, policy } = read
  const { commit, id, plan, projectId, tree } = candidate.record
  if (plan === null || commit === null || tree === null) throw new Error("it was not composed")
  const { checks } = judge(plan, { commit, tree }, evidence, now)
  const { granted } = standing(read)
  const approvalIds = granted.map((each) => each.id)
  const step: Generation = {
    projectId,
    generation: head.record.generation + 1,
    commit,
    tree,
    candidateId: id,
    changeId: change.record.id,
    actor,
    trigger,
    policyVersion: policy.record.version,
    evidenceIds: checks.flatMap((check) =>
      check.required && check.evidenceId !== null ? [check.evidenceId as EvidenceId] : []
    ),
    approvalId: approvalIds.at(-1) ?? null,
    approvalIds,
    promotedAt: now
  }
  return { step, plan, granted }
}

const releaseOf = ({ candidate, change }: Snapshot, step: Generation): Release => ({
  id: releaseId(step.projectId, step.generation),
  projectId: step.projectId,
  generation: step.generation,
  changeId: change.record.id,
  candidateId: candidate.record.id,
  commit: step.commit,
  tree: step.tree,
  status: "queued",
  reason: null,
  replacedGeneration: null,
  bundleSource: null,
  probes: [],
  createdAt: step.promotedAt,
  updatedAt: step.promotedAt
})

/** The commit of the promotion of a Change whose release follows. */
export const committedBeforeLane = (read: Snapshot, ask: Ask): Commit.Commit => {
  const { candidate, change, decisions, evidence, head, made, policy } = read
  const { id, projectId } = candidate.record
  if (!isFree(read, ask)) throw new Error("the Candidate cannot be promoted")
  const draft = Draft.begin(projectId, ask.actor, ask.now)
  const { granted, plan, step } = stepOf(read, ask)
  const {
    actor: _actor,
    changeId: _change,
    policyVersion: _policy,
    projectId: _project,
    promotedAt: _at,
    ...told
  } = step
  const { approvals } = decisions
  const release = releaseOf(read, step)
  Draft.expect(
    draft,
    Commit.unchanged("policy", projectId, policy),
    ...approvals.map((each, index) => Commit.unchanged("approval", approvalKey(id, index + 1), each)),
    Commit.absent("approval", approvalKey(id, approvals.length + 1))
  )
  Draft.insert(draft, "generation", step)
  Draft.update(draft, "head", head, { generation: step.generation, commit: step.commit, tree: step.tree })
  const advanced = { "canonical.advanced": Draft.about(generationKey(projectId, step.generation), told) }
  Draft.step(draft, "candidate", candidate, "swapWon", {}, advanced)
  Draft.step(draft, "change", change, "swapWonWithRelease", noPromotion)
  Draft.insert(draft, "release", release)
  const stood = { evidence, repeated: [], approvals: granted, grounds: decisions.grounds.of }
  const of = { step, candidate: candidate.record, change: change.record, made, policy: policy.record, ...stood }
  say(draft, read.chain, () => promotionFact(of, plan))
  const generation = { projectId, generation: step.generation }
  Draft.send(
    draft,
    {
      kind: "canonical.sweep",
      id: commandId("canonical.sweep", `${projectId}/${step.generation}`),
      payload: generation
    },
    { kind: "release.run", id: commandId("release.run", release.id), payload: { releaseId: release.id } }
  )
  return Draft.end(draft, { name: "Promotions.swap" })
}
