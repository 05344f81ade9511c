/**
 * The line of generations and its compare-and-swap, decided purely. What the integration step checks is
 * `blocksOf` (all blocks at once); what the owner of the canonical state decides, in this order, is
 * `swapDecision`: already promoted, generation, tree, policy version (specification, "Promotion preconditions").
 */
import { type Actor, system } from "../model/Actor.ts"
import { approvalKey } from "../model/Approval.ts"
import type { Policy } from "../model/Policy.ts"
import { brokenOf, needsApproval } from "../approval/OwedApproval.ts"
import { type Decisions, type Standing, standingOf } from "../approval/Standing.ts"
import type { Candidate } from "../model/Candidate.ts"
import { isBehind, staleCommit } from "../candidate/Staleness.ts"
import type { Change } from "../model/Change.ts"
import { dispatchOf } from "../change/Changes.ts"
import { isPromoting, noPromotion } from "../change/LostCandidate.ts"
import { commandId, type NewCommand } from "../model/Command.ts"
import type { DataOf } from "../model/EventData.ts"
import type { Evidence } from "../model/Evidence.ts"
import { judge } from "../verification/Gate.ts"
import * as Commit from "../ledger/Commit.ts"
import * as Draft from "../ledger/Draft.ts"
import { generationKey } from "../model/Entities.ts"
import { type CandidateId, type EvidenceId, releaseId } from "../primitives/Ids.ts"
import type * as Time from "../primitives/Time.ts"
import type { Release } from "../model/Release.ts"
import type { Generation, Head, Trigger } from "../model/Generation.ts"

/** All that a promotion is decided by, as it was read. */
export interface Snapshot {
  readonly candidate: Commit.Stored<Candidate>
  readonly change: Commit.Stored<Change>
  readonly head: Commit.Stored<Head>
  readonly policy: Commit.Stored<Policy>
  readonly decisions: Decisions
  readonly evidence: ReadonlyArray<Evidence>
  /** Whether the composed commit is still in the Candidate's fork, with the recorded tree. */
  readonly composedCommitExists: boolean
  /** Whether there is something to release to: an app, or in development a release target. */
  readonly releasable: boolean
  /** Whether that is an app. */
  readonly app: boolean
  /** Whether a bundle of a rollback's tree is stored, which it then serves; of any other Change nobody asks. */
  readonly bundleStored: boolean
  /** Whether the Change has another verified Candidate on the head. */
  readonly otherVerified: boolean
}

/** Each reason for which a promotion is refused (specification, "Promotion preconditions"). */
export const blockCodes = [
  "candidate_not_verified",
  "base_behind",
  "check_gap",
  "approval_missing",
  "approval_rejected",
  "policy_version_mismatch",
  "composed_commit_missing"
] as const
/** A reason for which this promotion is refused, and what about it. */
export interface Block {
  readonly code: (typeof blockCodes)[number]
  readonly detail: string
}

const standing = ({ candidate, decisions, policy }: Snapshot): Standing =>
  standingOf(decisions, candidate.record.tree, policy.record)

/** What stands between this Candidate and its approval. */
const approvalBlocks = (snapshot: Snapshot): ReadonlyArray<Block> => {
  const { rejected, owed } = standing(snapshot)
  if (rejected !== null) return [{ code: "approval_rejected", detail: `rejected by ${rejected.approver}` }]
  if (!needsApproval(snapshot) || owed === 0) return []
  const { tree } = snapshot.candidate.record
  const { approvalsRequired } = snapshot.policy.record
  const missing =
    approvalsRequired === 1
      ? `a granted approval of tree ${tree} is owed`
      : `${owed} of ${approvalsRequired} granted approvals of tree ${tree} are still owed, each by another person`
  const broken = brokenOf(snapshot).map(({ checkId }) => checkId)
  const detail = broken.length === 0 ? missing : `${missing}; not seen to hold any more: ${broken.join(", ")}`
  return [{ code: "approval_missing", detail }]
}

/**
 * An app must build: a plan from a time without the app did not ask for it. A rollback serves what was built before,
 * while that is stored.
 */
export const buildIsOwed = ({ app, bundleStored, candidate, change }: Snapshot): boolean =>
  app &&
  !(change.record.kind === "rollback" && bundleStored) &&
  !candidate.record.plan?.checks.some(({ kind }) => kind === "build")

const owedBuild = ({ change }: Snapshot): string =>
  change.record.kind === "rollback"
    ? "build: the bundle that it was to serve is gone; ask for it again"
    : "build: planned without an app; ask for this Candidate again"

/** Every reason why this Candidate cannot be promoted, at once. Gates are judged anew from evidence rows. */
export const blocksOf = (snapshot: Snapshot, now: Time.Timestamp): ReadonlyArray<Block> => {
  const { candidate, head, policy } = snapshot
  const { status, plan, commit, tree, baseGeneration } = candidate.record
  const blocks: Array<Block> = []
  if (status !== "verified") blocks.push({ code: "candidate_not_verified", detail: `the Candidate is ${status}` })
  if (baseGeneration !== head.record.generation)
    blocks.push({
      code: "base_behind",
      detail: `its base is S${baseGeneration}, canonical is at S${head.record.generation}`
    })
  if (plan === null || commit === null || tree === null) {
    blocks.push({ code: "check_gap", detail: "no checks have been run yet" })
    blocks.push({ code: "composed_commit_missing", detail: "nothing has been composed" })
  } else {
    for (const check of judge(plan, { commit, tree }, snapshot.evidence, now).checks)
      if (check.required && check.verdict !== "pass")
        blocks.push({
          code: "check_gap",
          detail: `${check.checkId}: ${check.verdict} (${check.summary.split("\n", 1)[0]})`
        })
    if (buildIsOwed(snapshot)) blocks.push({ code: "check_gap", detail: owedBuild(snapshot) })
    if (plan.policyVersion !== policy.record.version)
      blocks.push({
        code: "policy_version_mismatch",
        detail: `planned under Policy ${plan.policyVersion}, active is ${policy.record.version}`
      })
    if (!snapshot.composedCommitExists)
      blocks.push({ code: "composed_commit_missing", detail: `the fork does not hold ${commit} with tree ${tree}` })
  }
  return [...blocks, ...approvalBlocks(snapshot)]
}

/** What becomes of a request to promote, with the commit that makes it so; null where nothing is written. */
export type SwapDecision =
  | { readonly _tag: "AlreadyPromoted" }
  | { readonly _tag: "Stale"; readonly commit: Commit.Commit | null }
  | { readonly _tag: "Blocked"; readonly blocks: ReadonlyArray<Block>; readonly commit: Commit.Commit | null }
  /** The Change is promoting another of its Candidates: one request, one swap. */
  | { readonly _tag: "Busy"; readonly promotingCandidateId: string; readonly commit: null }
  | {
      readonly _tag: "Swap"
      readonly commit: Commit.Commit
      readonly generation: number
      /** The generation that it makes. */
      readonly step: Generation
      readonly releaseId: string | null
    }

/** Who asks for a promotion, how, and when. */
export interface Ask {
  readonly actor: Actor
  readonly trigger: Trigger
  readonly now: Time.Timestamp
}

/** The Change goes back to where it was before promoting; none when it is not promoting. */
export const putBack = ({ change, candidate }: Snapshot, now: Time.Timestamp): Commit.Commit | null => {
  if (!isPromoting(change.record, candidate.record.id)) return null
  const draft = Draft.begin(candidate.record.projectId, system("Promotions.refused"), now)
  const before = change.record.statusBeforePromoting ?? "verifying"
  Draft.step(draft, "change", change, ["swapRefused", before], noPromotion)
  return Draft.end(draft, { name: "Promotions.refused" })
}

/** The other Candidate that the Change is promoting; null when it promotes this one, or none. */
export const promotingOther = ({ candidate, change }: Pick<Snapshot, "candidate" | "change">): CandidateId | null =>
  change.record.status === "promoting" && !isPromoting(change.record, candidate.record.id)
    ? (change.record.promotingCandidateId ?? null)
    : null

/** The compare-and-swap. The expected generation is always the Candidate's own base; no caller chooses it. */
export const swapDecision = (snapshot: Snapshot, ask: Ask): SwapDecision => {
  const { candidate, head } = snapshot
  if (candidate.record.status === "promoted") return { _tag: "AlreadyPromoted" }
  const verified = candidate.record.status === "verified"
  const behind = isBehind(candidate.record, head.record)
  if (candidate.record.status === "stale" || (verified && behind))
    return { _tag: "Stale", commit: staleCommit(candidate, snapshot.change, head, snapshot.otherVerified, ask.now) }
  const blocks = blocksOf(snapshot, ask.now)
  if (blocks.length > 0) return { _tag: "Blocked", blocks, commit: putBack(snapshot, ask.now) }
  const other = promotingOther(snapshot)
  return other === null ? swapWon(snapshot, ask) : { _tag: "Busy", promotingCandidateId: other, commit: null }
}

const evidenceIds = ({ candidate, evidence }: Snapshot, now: Time.Timestamp): ReadonlyArray<EvidenceId> => {
  const { plan, commit, tree } = candidate.record
  if (plan === null || commit === null || tree === null) return []
  return judge(plan, { commit, tree }, evidence, now).checks.flatMap((check) =>
    check.required && check.evidenceId !== null ? [check.evidenceId as EvidenceId] : []
  )
}

const swapWon = (snapshot: Snapshot, ask: Ask): SwapDecision => {
  const { candidate, change, decisions, head, policy } = snapshot
  const { projectId, commit, tree } = candidate.record
  const draft = Draft.begin(projectId, ask.actor, ask.now)
  if (commit === null || tree === null || !Draft.may(draft, "change", change, "swapWonWithRelease"))
    return {
      _tag: "Blocked",
      blocks: [{ code: "candidate_not_verified", detail: `the Change is ${change.record.status}` }],
      commit: null
    }
  const generation = head.record.generation + 1
  const ids = evidenceIds(snapshot, ask.now)
  const approvalIds = standing(snapshot).granted.map(({ id }) => id)
  const step: Generation = {
    projectId,
    generation,
    commit,
    tree,
    candidateId: candidate.record.id,
    changeId: change.record.id,
    actor: ask.actor,
    trigger: ask.trigger,
    policyVersion: policy.record.version,
    evidenceIds: ids,
    approvalId: approvalIds.at(-1) ?? null,
    approvalIds,
    promotedAt: ask.now
  }
  const release = snapshot.releasable ? queuedRelease(step, change.record, candidate.record, ask.now) : null
  Draft.expect(draft, Commit.unchanged("policy", projectId, policy), ...guards(candidate.record.id, decisions))
  Draft.insert(draft, "generation", step)
  Draft.update(draft, "head", head, { generation, commit, tree })
  const advanced = { "canonical.advanced": Draft.about(generationKey(projectId, generation), advance(step)) }
  Draft.step(draft, "candidate", candidate, "swapWon", {}, advanced)
  if (release === null) {
    const completed = { "change.completed": { generation } }
    Draft.step(draft, "change", change, "swapWonWithoutRelease", noPromotion, completed)
  } else {
    Draft.step(draft, "change", change, "swapWonWithRelease", noPromotion)
    Draft.insert(draft, "release", release)
  }
  Draft.send(draft, ...followUps(step, release), ...leftOpen(change.record))
  const swapped = Draft.end(draft, { name: "Promotions.swap" })
  return { _tag: "Swap", generation, step, releaseId: release?.id ?? null, commit: swapped }
}

/** Every decision is as it was read, and there is no other. */
const guards = (candidateId: string, { approvals }: Decisions): ReadonlyArray<Commit.Expectation> => [
  ...approvals.map((each, index) => Commit.unchanged("approval", approvalKey(candidateId, index + 1), each)),
  Commit.absent("approval", approvalKey(candidateId, approvals.length + 1))
]

/** What is told of a new generation. */
const advance = (step: Generation): DataOf<"canonical.advanced"> => ({
  generation: step.generation,
  commit: step.commit,
  tree: step.tree,
  candidateId: step.candidateId,
  evidenceIds: step.evidenceIds,
  approvalId: step.approvalId,
  approvalIds: step.approvalIds,
  trigger: step.trigger
})

const queuedRelease = (step: Generation, change: Change, candidate: Candidate, now: Time.Timestamp): Release => ({
  id: releaseId(step.projectId, step.generation),
  projectId: step.projectId,
  generation: step.generation,
  changeId: change.id,
  candidateId: candidate.id,
  commit: step.commit,
  tree: step.tree,
  status: "queued",
  reason: null,
  replacedGeneration: null,
  bundleSource: null,
  probes: [],
  createdAt: now,
  updatedAt: now
})

/** A Change that is promoted before its Work Graph is completed leaves Tasks open: they end with it. */
const leftOpen = (change: Change): ReadonlyArray<NewCommand> => {
  const before = change.statusBeforePromoting
  return before === "running" || before === "budget_blocked" ? [dispatchOf(change.id)] : []
}

const followUps = (step: Generation, release: Release | null): ReadonlyArray<NewCommand> => [
  {
    kind: "canonical.sweep",
    id: commandId("canonical.sweep", `${step.projectId}/${step.generation}`),
    payload: { projectId: step.projectId, generation: step.generation }
  },
  ...(release === null
    ? []
    : [{ kind: "release.run" as const, id: commandId("release.run", release.id), payload: { releaseId: release.id } }])
]

/**
 * The Change starts promoting: recorded before the swap, with the command that carries it on if this process dies.
 * Without `leasedBy` that command is running already. Null when the Change is promoting, or past it.
 */
export const requested = (
  snapshot: Snapshot,
  ask: Ask,
  leasedBy: { readonly token: string; readonly leaseMs: number } | null
): Commit.Commit | null => {
  const { candidate, change } = snapshot
  const { baseGeneration, id, projectId } = candidate.record
  const { actor, now, trigger } = ask
  const draft = Draft.begin(projectId, actor, now)
  // Promoting already, or the Change is past it: the swap decides.
  if (!Draft.may(draft, "change", change, "promotionRequested")) return null
  const asked = { candidateId: id, expectedGeneration: baseGeneration, trigger }
  Draft.expect(draft, Commit.unchanged("candidate", id, candidate))
  Draft.step(
    draft,
    "change",
    change,
    "promotionRequested",
    { statusBeforePromoting: change.record.status, promotingCandidateId: id },
    { "canonical.promotion.requested": Draft.about(id, asked) }
  )
  if (leasedBy !== null)
    Draft.send(draft, {
      kind: "candidate.promote",
      id: commandId("candidate.promote", id),
      payload: { candidateId: id, actor, trigger },
      leasedBy
    })
  return Draft.end(draft, { name: "Promotions.request" })
}
