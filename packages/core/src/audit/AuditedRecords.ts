/** What the records of one generation must say, judged purely: its Candidate, Change, Release, Evidence, approval and Policy. */
import { Effect } from "effect"
import type { Approval } from "../model/Approval.ts"
import { apartBy, groundOf, type Kin, kinOf, noKin } from "../approval/Grounds.ts"
import { approvalsOf } from "../approval/Standing.ts"
import { isCarrying } from "../candidate/Difference.ts"
import type { Policy } from "../model/Policy.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Plan } from "../model/Plan.ts"
import type { Change } from "../model/Change.ts"
import type { ChangeSet } from "../model/ChangeSet.ts"
import { evidenceOf, repeatedBy } from "../verification/CandidateEvidence.ts"
import type { Evidence } from "../model/Evidence.ts"
import { judge, riskAfter } from "../verification/Gate.ts"
import { hasFlake } from "../verification/Flakes.ts"
import { frozenBy } from "../approval/Freezes.ts"
import { reuseDifferences } from "./AuditedReuse.ts"
import { find } from "../ledger/Decision.ts"
import { generationKey } from "../model/Entities.ts"
import { releaseId } from "../primitives/Ids.ts"
import type { PawlCheck } from "../project/PawlFile.ts"
import type { Release } from "../model/Release.ts"
import type { Finding, FindingCode } from "../model/Audit.ts"
import { approvalIdsOf, type Generation } from "../model/Generation.ts"
import { owesApproval, tiersUndone } from "../candidate/RollbackPlan.ts"

/** A promoted generation and what stands around it, as it was read; null for what is not there. */
export interface GenerationRecords {
  /** The generation. */
  readonly step: Generation
  /** The one before it. */
  readonly before: Generation
  /** What was promoted. */
  readonly candidate: Candidate | null
  readonly change: Change | null
  /** In the order of composition. */
  readonly changeSets: ReadonlyArray<ChangeSet | null>
  /** All rows of the Candidate, oldest first. */
  readonly evidence: ReadonlyArray<Evidence>
  /** The rows that its rows repeat, and the Candidates of these, by their ids. */
  readonly repeated: ReadonlyMap<string, { readonly row: Evidence; readonly candidate: Candidate | null }>
  /** All decisions on its Candidate, oldest first. */
  readonly approvals: ReadonlyArray<Approval>
  /** The other Candidates of the same ChangeSets with their decisions, where some approval is carried over from one. */
  readonly kin: Kin
  /** The version that it was promoted under. */
  readonly policy: Policy | null
  readonly release: Release | null
  /** The generation that a rollback goes back to. */
  readonly target: Generation | null
  /** Checks in quarantine of which the Project has seen a flake. */
  readonly flaky: ReadonlyArray<string>
  /** Whether undoing what a rollback undoes owes an approval; false for any other Change. */
  readonly undoingOwesApproval: boolean
}

const recordOf = <A>(stored: { readonly record: A } | null): A | null => stored?.record ?? null

/** Reads what the records of one generation say, in the form in which they are judged. Null for what there is not. */
export const readRecords = Effect.fnUntraced(function* (step: Generation, before: Generation) {
  const { projectId, candidateId, changeId, generation, policyVersion } = step
  const candidate = candidateId === null ? null : recordOf(yield* find("candidate", candidateId))
  const change = changeId === null ? null : recordOf(yield* find("change", changeId))
  const policy = recordOf(yield* find("policyVersion", `${projectId}/${policyVersion}`))
  const back = change?.rollbackTarget
  const target = back === undefined ? null : recordOf(yield* find("generation", generationKey(projectId, back)))
  const tiers =
    target === null || policy === null
      ? null
      : yield* tiersUndone(projectId, target.generation, before.generation).pipe(
          // A gap in the history is named where it is.
          Effect.catchTag("Unknown", () => Effect.succeed(null))
        )
  const approvals = candidateId === null ? [] : (yield* approvalsOf(candidateId)).map(({ record }) => record)
  const isCarried = candidate !== null && approvals.some(({ derivedFrom }) => derivedFrom !== undefined)
  const quarantined = (policy?.waivedChecks ?? []).flatMap(({ because, id }) => (because === "flaky" ? [id] : []))
  const flaky = yield* Effect.filter(quarantined, (id) => hasFlake(projectId, id))
  const evidence = candidateId === null ? [] : yield* evidenceOf(candidateId)
  return {
    step,
    before,
    flaky,
    candidate,
    change,
    changeSets: yield* Effect.forEach(candidate?.changeSets ?? [], (id) => Effect.map(find("changeSet", id), recordOf)),
    evidence,
    repeated: yield* earlierOf(evidence),
    approvals,
    kin: isCarried ? yield* kinOf(candidate) : noKin,
    policy,
    release: recordOf(yield* find("release", releaseId(projectId, generation))),
    target,
    undoingOwesApproval: tiers !== null && policy !== null && owesApproval(tiers, policy)
  } satisfies GenerationRecords
})

/** The rows that some rows repeat, each with its Candidate. */
const earlierOf = Effect.fnUntraced(function* (evidence: ReadonlyArray<Evidence>) {
  const found = new Map<string, { readonly row: Evidence; readonly candidate: Candidate | null }>()
  for (const row of yield* repeatedBy(evidence)) {
    const { candidateId } = row.subject
    const candidate = candidateId === undefined ? null : recordOf(yield* find("candidate", candidateId))
    found.set(row.id, { row, candidate })
  }
  return found
})

type Say = (code: FindingCode, detail: string) => void

/** Every difference that the records alone show. `definitions` are the checks of the base's tree; null when they cannot be read. */
export const recordFindings = (
  read: GenerationRecords,
  definitions: ReadonlyArray<PawlCheck> | null
): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  const say: Say = (code, detail) => findings.push({ generation: read.step.generation, code, detail })
  checkCandidate(read, say)
  checkChange(read, say)
  checkRelease(read, say)
  checkPolicy(read, say)
  checkWaivers(read, say)
  checkFreeze(read, say)
  checkEvidence(read, say)
  for (const detail of reuseDifferences(read)) say("evidence_reuse_mismatch", detail)
  checkApproval(read, say)
  checkPlan(read, definitions, say)
  return findings
}

const checkCandidate = ({ before, candidate, changeSets, step }: GenerationRecords, say: Say): void => {
  if (candidate === null) return say("candidate_missing", `there is no Candidate ${step.candidateId}`)
  const { baseCommit, baseGeneration, baseTree, commit, id, status, tree } = candidate
  if (status !== "promoted") say("candidate_not_promoted", `${id} is ${status}`)
  if (baseGeneration !== before.generation || baseCommit !== before.commit || baseTree !== before.tree)
    say(
      "candidate_base_mismatch",
      `${id} was made on S${baseGeneration} (${baseCommit}), before it is S${before.generation} (${before.commit})`
    )
  if (commit !== step.commit || tree !== step.tree)
    say("candidate_result_mismatch", `${id} has commit ${commit} and tree ${tree}`)
  if (candidate.changeId !== step.changeId) say("change_mismatch", `${id} is of ${candidate.changeId}`)
  for (const [index, changeSet] of changeSets.entries()) {
    const wanted = candidate.changeSets[index]
    if (changeSet === null) say("changeset_mismatch", `there is no ChangeSet ${wanted}`)
    else if (changeSet.changeId !== candidate.changeId)
      say("changeset_mismatch", `${wanted} is of ${changeSet.changeId}`)
  }
}

/** By the release's status; a release that was deployed may have been marked by an injected failure later. */
const changesAfter: Readonly<Record<Release["status"], ReadonlyArray<Change["status"]>>> = {
  queued: ["releasing"],
  building: ["releasing"],
  deployed: ["completed"],
  superseded: ["completed"],
  // Nothing was left to release to: the Change is done all the same.
  failed: ["failed", "completed"],
  smoke_failed: ["failed", "completed"]
}

const checkChange = ({ change, release, step }: GenerationRecords, say: Say): void => {
  if (change === null) return say("change_mismatch", `there is no Change ${step.changeId}`)
  const fitting = release === null ? ["releasing", "completed", "failed"] : changesAfter[release.status]
  if (!fitting.includes(change.status))
    say(
      "change_mismatch",
      `${change.id} is ${change.status}, and its release is ${release === null ? "not there" : release.status}`
    )
  const isBack = change.kind === "rollback"
  if (step.trigger === "seed" || (step.trigger === "rollback") !== isBack)
    say("trigger_mismatch", `${change.id} is a ${change.kind}, and the trigger is ${step.trigger}`)
}

const checkRelease = ({ release, step }: GenerationRecords, say: Say): void => {
  if (release === null) return
  const about = (each: Pick<Generation, "commit" | "tree" | "candidateId" | "changeId">) =>
    `${each.commit} ${each.tree} ${each.candidateId} ${each.changeId}`
  if (release.generation !== step.generation || about(release) !== about(step))
    say("release_mismatch", `${release.id} is of S${release.generation}: ${about(release)}`)
}

const checkPolicy = ({ candidate, policy, step }: GenerationRecords, say: Say): void => {
  if (policy === null) say("policy_mismatch", `there is no Policy ${step.policyVersion}`)
  const planned = candidate?.plan?.policyVersion
  if (planned !== undefined && planned !== step.policyVersion)
    say("policy_mismatch", `it was planned under Policy ${planned}, and promoted under ${step.policyVersion}`)
  if (policy !== null && candidate?.plan?.flakeRetries === 1 && policy.flakeRetries !== 1)
    say("plan_weakened", `it retries what failed, and Policy ${policy.version} does not`)
}

/** What the plan waives must be waived by the Policy, and a quarantine needs a flake that was seen before. */
const checkWaivers = ({ candidate, flaky, policy, step }: GenerationRecords, say: Say): void => {
  if (policy === null) return
  for (const { base, id, waived } of candidate?.plan?.checks ?? []) {
    if (waived === undefined) continue
    const named = base?.check ?? id
    const inPolicy = policy.waivedChecks.find((each) => each.id === named)
    if (inPolicy?.until !== waived.until || inPolicy.because !== waived.because)
      say("plan_weakened", `it waives ${id}, and Policy ${policy.version} does not`)
    else if (waived.because === "flaky" && !flaky.includes(named))
      say("plan_weakened", `${id} is in quarantine at S${step.generation}, and there is no flake of it`)
  }
}

const checkFreeze = ({ change, policy, step }: GenerationRecords, say: Say): void => {
  if (policy === null || change === null) return
  const frozen = frozenBy(policy, { kind: change.kind, promoter: step.actor.id, now: step.promotedAt })
  if (frozen !== null) say("promoted_while_frozen", `at ${step.promotedAt}, and it was frozen until ${frozen.until}`)
}

const checkEvidence = ({ candidate, evidence, step }: GenerationRecords, say: Say): void => {
  if (candidate === null) return
  if (candidate.plan === null) return say("plan_missing", `${candidate.id} has no plan`)
  const score = judge(candidate.plan, step, evidence, step.promotedAt)
  for (const check of score.checks)
    if (check.required && check.verdict !== "pass")
      say("check_unsatisfied", `${check.checkId}: ${check.verdict} (${check.summary.split("\n", 1)[0]})`)
  if (score.checks.length === 0) say("check_unsatisfied", "the plan has no check")
  const ids = score.checks.flatMap((check) => (check.required && check.evidenceId !== null ? [check.evidenceId] : []))
  if ([...ids].sort().join() !== [...step.evidenceIds].sort().join())
    say(
      "evidence_ids_mismatch",
      `it names ${step.evidenceIds.join(", ") || "none"}; there is ${ids.join(", ") || "none"}`
    )
}

/** Whether what was promoted owed an approval, by its plan, its evidence, and what a rollback undoes. */
const owedApproval = ({ candidate, evidence, policy, step, undoingOwesApproval }: GenerationRecords): boolean => {
  const plan = candidate?.plan ?? null
  if (undoingOwesApproval || plan?.approvalRequired === true) return true
  if (plan === null || policy === null) return false
  return [plan.riskTier, riskAfter(plan, step, evidence)].some((tier) => policy.approvalRiskTiers.includes(tier))
}

/** Who has left since is not asked: they may have been there when it was promoted. */
const checkApproval = (read: GenerationRecords, say: Say): void => {
  const { approvals, change, changeSets, policy, step } = read
  // Older versions of Pawl asked only who had opened the Change, and kept one approval.
  const writers = step.approvalIds === undefined ? [] : changeSets.map((each) => each?.author.id)
  const authors = new Set([change?.createdBy.id, ...writers])
  const named = approvalIdsOf(step)
  const found = named.flatMap((id) => approvals.find((each) => each.id === id) ?? [])
  const people = new Set(found.filter((each) => each.decision === "granted").map(({ approver }) => approver))
  const required = policy?.approvalsRequired ?? 1
  if (owedApproval(read) && people.size < required)
    say("approval_missing", `${required} granted approvals of tree ${step.tree} were owed; it names ${people.size}`)
  for (const id of named) if (!found.some((each) => each.id === id)) say("approval_mismatch", `${id} is not there`)
  for (const approval of found) {
    const { id } = approval
    if (approval.tree !== step.tree) say("approval_mismatch", `${id} is of tree ${approval.tree}`)
    if (approval.changeId !== step.changeId) say("approval_mismatch", `${id} is of ${approval.changeId}`)
    if (policy?.allowSelfApproval === false && authors.has(approval.approver))
      say("approval_mismatch", `${approval.approver} approved own work, which Policy ${policy.version} forbids`)
  }
  for (const { id, decision } of approvals) if (decision !== "granted") say("approval_mismatch", `${id} is ${decision}`)
  for (const approval of found) checkCarried(read, approval, say)
  if (step.approvalId !== (named.at(-1) ?? null))
    say("approval_mismatch", `the last one is ${named.at(-1) ?? "none"}, and it names ${step.approvalId}`)
}

/** Whether the Policy counts an approval only when a passkey has signed it. */
const isSigningOwed = ({ candidate, evidence, policy, step }: GenerationRecords): boolean => {
  const plan = candidate?.plan ?? null
  if (plan === null) return false
  return [plan.riskTier, riskAfter(plan, step, evidence)].some((tier) => policy?.approvalsSigned?.includes(tier))
}

/** What was carried over stands on a grant of the same person, for a Candidate that does the same. */
const checkCarried = (read: GenerationRecords, approval: Approval, say: Say): void => {
  const { candidate, kin, policy } = read
  const { derivedFrom, id } = approval
  if (derivedFrom === undefined || candidate === null) return
  if (policy !== null && !isCarrying(policy))
    say("approval_not_carried", `${id} is derived, and Policy ${policy.version} carries none`)
  if (isSigningOwed(read)) say("approval_not_carried", `${id} is derived, where a passkey must sign`)
  if (groundOf(approval, candidate, kin) !== null) return
  const original = kin.approvals.find(({ record }) => record.id === derivedFrom)?.record
  const granted = kin.candidates.find((each) => each.id === original?.candidateId)
  const apart = granted === undefined ? null : apartBy(granted, candidate)
  const why = apart === null ? "which does not stand for it" : `whose Candidate has another ${apart}`
  say("approval_not_carried", `${id} is derived from ${derivedFrom}, ${why}`)
}

/** The plan holds all that the base defines, as it defines it: a plan that was made weaker afterwards is a difference. */
const checkPlan = (read: GenerationRecords, definitions: ReadonlyArray<PawlCheck> | null, say: Say): void => {
  const { candidate, change, target } = read
  const plan: Plan | null = candidate?.plan ?? null
  if (plan === null || change === null) return
  if (change.kind === "rollback") {
    if (target === null) return say("rollback_tree_mismatch", `there is no S${change.rollbackTarget}`)
    if (read.step.tree !== target.tree)
      say("rollback_tree_mismatch", `its tree is ${read.step.tree}, S${target.generation} has ${target.tree}`)
    const held = plan.checks.some(
      (check) => check.kind === "tree-equals" && check.tree === target.tree && check.required
    )
    if (!held) say("plan_weakened", "the plan does not compare the tree")
    return
  }
  for (const defined of definitions ?? []) {
    const check = plan.checks.find((each) => each.id === defined.id)
    if (check === undefined || check.command !== defined.command)
      say("plan_weakened", `the base defines ${defined.id}, and the plan does not run it so`)
    else if (defined.required && !check.required && check.waived === undefined)
      say("plan_weakened", `the base requires ${defined.id}, and the plan does not`)
  }
}
