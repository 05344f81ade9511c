/**
 * The line of generations and its compare-and-swap, decided purely. What the integration step checks is
 * `blocksOf` (all blocks at once); what the owner of the canonical state decides, in this order, is
 * `swapDecision`: already promoted, generation, tree, policy version (specification, "Promotion preconditions").
 */
import { type Actor, system } from "../model/Actor.ts"
import { type Approval, approvalKey } from "../model/Approval.ts"
import type { Policy } from "../model/Policy.ts"
import { brokenOf, needsApproval } from "../approval/OwedApproval.ts"
import { type Decisions, type Standing, standingOf } from "../approval/Standing.ts"
import type { Candidate } from "../model/Candidate.ts"
import { isCarrying } from "../candidate/Difference.ts"
import { isAhead, isBehind, staleCommit, whyBehind } from "../candidate/Staleness.ts"
import type { Change } from "../model/Change.ts"
import { dispatchOf } from "../change/Changes.ts"
import { isPromoting, noPromotion } from "../change/LostCandidate.ts"
import { commandId, type NewCommand } from "../model/Command.ts"
import type { DataOf } from "../model/EventData.ts"
import type { Evidence } from "../model/Evidence.ts"
import { judge } from "../verification/Gate.ts"
import { waitOf, waitSummary } from "../candidate/Waits.ts"
import type { CheckVerdict } from "../model/Score.ts"
import * as Commit from "../ledger/Commit.ts"
import * as Draft from "../ledger/Draft.ts"
import { generationKey } from "../model/Entities.ts"
import { type CandidateId, type EvidenceId, releaseId } from "../primitives/Ids.ts"
import type * as Time from "../primitives/Time.ts"
import type { Release } from "../model/Release.ts"
import type { Generation, Head, Trigger } from "../model/Generation.ts"
import type { Made } from "../model/Made.ts"
import { type ReadChain, say } from "../provenance/Chains.ts"
import { type Ending, landed, touchLane } from "../lane/LaneEnds.ts"
import { laneStep, laneStepOf } from "../work/LaneWork.ts"
import { hasItsTurn, type InLane } from "./LaneOrder.ts"
import { promotionFact } from "./PromotionFacts.ts"
import { frozenBlocks } from "./Thaw.ts"

/** All that a promotion is decided by, as it was read. */
export interface Snapshot {
  readonly candidate: Commit.Stored<Candidate>
  readonly change: Commit.Stored<Change>
  readonly head: Commit.Stored<Head>
  readonly policy: Commit.Stored<Policy>
  readonly decisions: Decisions
  readonly evidence: ReadonlyArray<Evidence>
  /** The rows of other Candidates that these repeat. Absent where none does. */
  readonly repeated?: ReadonlyArray<Evidence>
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
  /** The Project's statements; null until it is adopted. */
  readonly chain: ReadChain
  /** The lane, and the Change's entry there; not there for a Change that is in none. */
  readonly inLane?: InLane
  /** The lane that this rollback is to pause; not there of any other Change. */
  readonly held?: Ending["lane"]
  /** Who made what the Candidate is composed of. */
  readonly made: ReadonlyArray<Made>
}

/** Each reason for which a promotion is refused (specification, "Promotion preconditions"). */
export const blockCodes = [
  "candidate_not_verified",
  "base_behind",
  "base_ahead",
  "check_gap",
  "approval_missing",
  "approval_rejected",
  "policy_version_mismatch",
  "composed_commit_missing",
  "frozen"
] as const
/** A reason for which this promotion is refused, and what about it. */
export interface Block {
  readonly code: (typeof blockCodes)[number]
  readonly detail: string
  /** Of `frozen`: the moment from which on it is promoted by itself, unless the Policy changes before that. */
  readonly until?: Time.Timestamp
  /** Of `frozen`: why, in the words of the admin who set it. */
  readonly reason?: string
}

const standing = ({ candidate, decisions, policy }: Snapshot): Standing =>
  standingOf(decisions, candidate.record.tree, policy.record)

/** Of grants that must be signed, where the Policy carries others over. */
const notCarried = ({ policy }: Snapshot): string =>
  isCarrying(policy.record) ? " for this very tree (what must be signed is never carried over)" : ""

/** What stands between this Candidate and its approval. */
const approvalBlocks = (snapshot: Snapshot): ReadonlyArray<Block> => {
  const { rejected, owed } = standing(snapshot)
  if (rejected !== null) return [{ code: "approval_rejected", detail: `rejected by ${rejected.approver}` }]
  if (!needsApproval(snapshot) || owed === 0) return []
  const { tree } = snapshot.candidate.record
  const { approvalsRequired } = snapshot.policy.record
  const signed = snapshot.decisions.signed ? `, signed by a passkey${notCarried(snapshot)}` : ""
  const missing =
    approvalsRequired === 1
      ? `a granted approval of tree ${tree} is owed${signed}`
      : `${owed} of ${approvalsRequired} granted approvals of tree ${tree} are still owed, each by another person${signed}`
  const broken = brokenOf(snapshot).map(({ checkId }) => checkId)
  const detail = broken.length === 0 ? missing : `${missing}; not seen to hold any more: ${broken.join(", ")}`
  return [{ code: "approval_missing", detail }]
}

/**
 * An app must build: a plan from a time without the app did not ask for it. A rollback serves what was built before,
 * while that is stored. Of a Candidate whose packages the Policy refuses nothing is built, app or not.
 */
export const buildIsOwed = ({ app, bundleStored, candidate, change }: Snapshot): boolean =>
  app &&
  !(change.record.kind === "rollback" && bundleStored) &&
  !candidate.record.plan?.checks.some(({ kind }) => kind === "build" || kind === "packages")

const owedBuild = ({ change }: Snapshot): string =>
  change.record.kind === "rollback"
    ? "build: the bundle that it was to serve is gone; ask for it again"
    : "build: planned without an app; ask for this Candidate again"

/** What a check said, in a line; of one without evidence, what its last try came to. */
const said = ({ checkId, evidenceId, summary }: CheckVerdict, candidate: Candidate): string => {
  const wait = evidenceId === null ? waitOf(candidate, checkId) : null
  return (wait === null ? summary : waitSummary(wait)).split("\n", 1)[0] ?? ""
}

const whyNotOnHead = ({ candidate, head }: Snapshot): string =>
  candidate.record.baseGeneration === head.record.generation
    ? whyBehind(candidate.record, head.record)
    : `its base is S${candidate.record.baseGeneration}, canonical is at S${head.record.generation}`

/**
 * Every reason why this Candidate cannot be promoted, at once. Gates are judged anew from evidence rows. `promoter` is
 * the id of who would promote it; a freeze may except somebody.
 */
export const blocksOf = (snapshot: Snapshot, now: Time.Timestamp, promoter?: string): ReadonlyArray<Block> => {
  const { candidate, head, policy } = snapshot
  const { status, plan, commit, tree } = candidate.record
  const blocks: Array<Block> = []
  if (status !== "verified") blocks.push({ code: "candidate_not_verified", detail: `the Candidate is ${status}` })
  if (isBehind(candidate.record, head.record)) blocks.push({ code: "base_behind", detail: whyNotOnHead(snapshot) })
  if (isAhead(candidate.record, head.record)) blocks.push({ code: "base_ahead", detail: whyNotOnHead(snapshot) })
  if (plan === null || commit === null || tree === null) {
    blocks.push({ code: "check_gap", detail: "no checks have been run yet" })
    blocks.push({ code: "composed_commit_missing", detail: "nothing has been composed" })
  } else {
    for (const check of judge(plan, { commit, tree }, snapshot.evidence, now).checks)
      if (check.required && check.verdict !== "pass")
        blocks.push({
          code: "check_gap",
          detail: `${check.checkId}: ${check.verdict} (${said(check, candidate.record)})`
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
  return [...blocks, ...approvalBlocks(snapshot), ...frozenBlocks(snapshot, now, promoter)]
}

/** What becomes of a request to promote, with the commit that makes it so; null where nothing is written. */
export type SwapDecision =
  | { readonly _tag: "AlreadyPromoted" }
  | { readonly _tag: "Stale"; readonly commit: Commit.Commit | null }
  | { readonly _tag: "Blocked"; readonly blocks: ReadonlyArray<Block>; readonly commit: Commit.Commit | null }
  /** The lane ordered it, and would not any more. */
  | { readonly _tag: "OutOfTurn"; readonly commit: Commit.Commit | null }
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
  /** The entry of the lane whose turn it is, where the lane ordered it. */
  readonly entryId?: string
}

/** The Change goes back to where it was before promoting, and `commands` are sent; none when it is not promoting. */
export const putBack = (
  { change, candidate }: Snapshot,
  now: Time.Timestamp,
  commands: ReadonlyArray<NewCommand> = []
): Commit.Commit | null => {
  if (!isPromoting(change.record, candidate.record.id)) return null
  const draft = Draft.begin(candidate.record.projectId, system("Promotions.refused"), now)
  const before = change.record.statusBeforePromoting ?? "verifying"
  Draft.step(draft, "change", change, ["swapRefused", before], noPromotion)
  Draft.send(draft, ...commands)
  return Draft.end(draft, { name: "Promotions.refused" })
}

/** The other Candidate that the Change is promoting; null when it promotes this one, or none. */
export const promotingOther = ({ candidate, change }: Pick<Snapshot, "candidate" | "change">): CandidateId | null =>
  change.record.status === "promoting" && !isPromoting(change.record, candidate.record.id)
    ? (change.record.promotingCandidateId ?? null)
    : null

/** Who left the lane took its promotion along. Of one that stands there yet the lane looks again: it passed it over meanwhile. */
const outOfTurn = (snapshot: Snapshot, { entryId, now }: Ask): Commit.Commit | null =>
  snapshot.inLane?.entry.record.id === entryId ? putBack(snapshot, now, laneStepOf(snapshot.change.record)) : null

/** The compare-and-swap. The expected generation is always the Candidate's own base; no caller chooses it. */
export const swapDecision = (snapshot: Snapshot, ask: Ask): SwapDecision => {
  const { candidate, head } = snapshot
  if (candidate.record.status === "promoted") return { _tag: "AlreadyPromoted" }
  const verified = candidate.record.status === "verified"
  const behind = isBehind(candidate.record, head.record)
  if (candidate.record.status === "stale" || (verified && behind))
    return { _tag: "Stale", commit: staleCommit(candidate, snapshot.change, head, snapshot.otherVerified, ask.now) }
  if (!hasItsTurn(snapshot, ask)) return { _tag: "OutOfTurn", commit: outOfTurn(snapshot, ask) }
  const blocks = blocksOf(snapshot, ask.now, ask.actor.id)
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
  const { granted } = standing(snapshot)
  const approvalIds = granted.map(({ id }) => id)
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
    promotedAt: ask.now,
    ...(candidate.record.dirHash === undefined ? {} : { dirHash: candidate.record.dirHash })
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
  if (snapshot.inLane !== undefined) landed(draft, { ...snapshot.inLane, change }, candidate.record.id, generation)
  if (snapshot.held !== undefined) touchLane(draft, snapshot.held, { rolledBackAt: generation })
  // Those who wait for their turn look again, whoever came before them.
  if (policy.record.lane?.mode === "on") Draft.send(draft, laneStep(projectId))
  stated(draft, snapshot, step, granted)
  Draft.send(draft, ...followUps(step, release), ...leftOpen(change.record))
  const swapped = Draft.end(draft, { name: "Promotions.swap" })
  return { _tag: "Swap", generation, step, releaseId: release?.id ?? null, commit: swapped }
}

/** The promotion's statement. Without a plan nothing is promoted. */
const stated = (draft: Draft.Draft, read: Snapshot, step: Generation, approvals: ReadonlyArray<Approval>): void => {
  const { chain, evidence, made, repeated = [] } = read
  const [candidate, change, policy] = [read.candidate.record, read.change.record, read.policy.record]
  const { plan } = candidate
  if (plan === null) return
  const stood = { evidence, repeated, approvals, grounds: read.decisions.grounds.of }
  say(draft, chain, () => promotionFact({ step, candidate, change, made, policy, ...stood }, plan))
}

/** Every decision is as it was read, and there is no other. */
const guards = (candidateId: string, { approvals, grounds }: Decisions): ReadonlyArray<Commit.Expectation> => [
  ...grounds.expects,
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
