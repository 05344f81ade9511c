/**
 * The verification process, body of `candidate.create`: compose, run each check once, publish the preview as soon as
 * the build is through, gate.
 */
import { Effect } from "effect"
import { system } from "../model/Actor.ts"
import type { Policy } from "../model/Policy.ts"
import { evidenceOf } from "../verification/CandidateEvidence.ts"
import type { Score } from "../model/Score.ts"
import { type BrokenPromise, brokenPromises, judge, riskAfter } from "../verification/Gate.ts"
import type { Evidence } from "../model/Evidence.ts"
import type { Change } from "../model/Change.ts"
import { isInLane, laneStepBehind, laneStepOf } from "../work/LaneWork.ts"
import { afterRejection } from "../change/Repair.ts"
import { endRollback } from "../change/LostCandidate.ts"
import { mayWork, stepWork, workStatus } from "../change/WorkStatus.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Process, Waiting } from "../work/Processes.ts"
import { candidateFork } from "../primitives/Ids.ts"
import * as Time from "../primitives/Time.ts"
import type { Repositories } from "../project/Repositories.ts"
import { readFiles } from "../project/Source.ts"
import { publishPreview } from "../app/Previews.ts"
import { ensureSynced } from "../project/SourceSync.ts"
import { autoPromotion, isTakenOut, promotesItself } from "./AutoPromotion.ts"
import { baseOf, isBaseThere } from "./Base.ts"
import type { Head } from "../model/Generation.ts"
import type { Candidate, RejectionCode } from "../model/Candidate.ts"
import type { Composed } from "../verification/Checks.ts"
import { type Carried, type Carry, noneCarried } from "./Carrying.ts"
import { compose, replan } from "./Composer.ts"
import type { Plan } from "../model/Plan.ts"
import { riskier } from "../verification/Risk.ts"
import { refute } from "./Refutation.ts"
import { markStale, provisionally } from "./Staleness.ts"
import { runChecks } from "./CheckRuns.ts"

const actor = system("verification")

/** What is asked of rooms above this one. */
export interface Asked<E, R> {
  /** Which approvals of earlier Candidates count for one that owes any. */
  readonly carry: (asked: Carry) => Effect.Effect<Carried, E, R>
  /** Whether another takes a Candidate over that is not composed yet: then it is not verified here and now. */
  readonly take: (candidate: Candidate, policy: Policy) => Effect.Effect<boolean, E, R>
}

/** Takes a Candidate from its composition to its end, or to `stale`. Repeating it goes on where it was. */
export const verify = <E, R>(candidateId: string, { carry, take }: Asked<E, R>) =>
  Effect.gen(function* () {
    const before = (yield* demand("candidate", candidateId)).record
    if (yield* markStale(candidateId)) return
    const policy = yield* demand("policy", before.projectId)
    if (before.status === "composing") {
      if (yield* take(before, policy.record)) return
      // What it is made on is not canonical yet, and lives in a fork.
      if (baseOf(before)._tag === "Canonical") yield* ensureSynced(before.projectId)
      // Whether the base is there is looked at once the merge has missed something: others wait for what is composed here.
      const isLost = compose(candidateId, policy).pipe(
        Effect.as(false),
        Effect.catchTag("ObjectNotFound", (missed) =>
          baseOf(before)._tag === "Canonical"
            ? Effect.fail(missed)
            : Effect.flatMap(isBaseThere(before), (there) => (there ? Effect.fail(missed) : Effect.succeed(true)))
        )
      )
      if (yield* isLost) return yield* refute(candidateId, `${before.ahead} is gone`)
    }
    yield* replan(candidateId, policy)
    const candidate = (yield* demand("candidate", candidateId)).record
    if (
      candidate.status !== "verifying" ||
      candidate.plan === null ||
      candidate.commit === null ||
      candidate.tree === null
    )
      return
    const composed: Composed = {
      candidate,
      commit: candidate.commit,
      tree: candidate.tree,
      files: yield* Effect.cached(
        Effect.provide(
          readFiles({ project: candidate.projectId, fork: candidateFork(candidate.id) }, candidate.tree),
          yield* Effect.context<Repositories>()
        )
      ),
      running: { count: 0 }
    }
    // As soon as it is built: the other checks take longer. Without a build, or when that waits, at the end.
    const preview = yield* Effect.cached(publishPreview(candidate))
    yield* runChecks(candidate.plan.checks, composed, Effect.exit(preview))
    yield* preview
    if (yield* markStale(candidateId)) return
    yield* decideAndCommit(gating(candidateId, carry))
  }).pipe(Effect.withSpan("Verification.verify", { attributes: { candidateId } }))

const gating = Effect.fnUntraced(function* <E, R>(
  candidateId: string,
  carry: (asked: Carry) => Effect.Effect<Carried, E, R>
) {
  const candidate = yield* demand("candidate", candidateId)
  const change = yield* demand("change", candidate.record.changeId)
  const head = yield* demand("head", candidate.record.projectId)
  const policy = yield* demand("policy", candidate.record.projectId)
  const { plan, commit, tree, status } = candidate.record
  if (status !== "verifying" || plan === null || commit === null || tree === null) return { answer: undefined }
  // The Policy changed while the checks ran: plan anew; what was checked stays checked.
  if (plan.policyVersion !== policy.record.version)
    return yield* Effect.fail(new Waiting("the Policy has changed since the plan", 0))
  const now = yield* Time.now
  const evidence = yield* evidenceOf(candidateId)
  const score = judge(plan, { commit, tree }, evidence, now)
  const input = { candidate, change, head, policy, score, evidence, now }
  const carried = score.passed ? yield* carriedBy(input, carry) : noneCarried
  const takenOut = !isInLane(change.record) && (yield* isTakenOut(candidate.record, policy.record))
  const decided = gated({ ...input, carried, takenOut })
  const lease = yield* Effect.map(Process, (process) => process.lease)
  return { answer: undefined, commit: { ...decided, lease } }
})

const carriedBy = <E, R>(input: GateInput, carry: (asked: Carry) => Effect.Effect<Carried, E, R>) => {
  const { broken, plan } = afterChecks(input)
  if (plan?.approvalRequired !== true) return Effect.succeed(noneCarried)
  const [change, policy] = [input.change.record, input.policy.record]
  const names = broken.map(({ checkId }) => checkId)
  return carry({ candidate: { ...input.candidate.record, plan }, change, policy, broken: names, now: input.now })
}

const problems = (score: Score): string =>
  score.checks
    .filter((check) => check.required && check.verdict !== "pass")
    .map((check) => `${check.checkId}: ${check.verdict}`)
    .join(", ")

const rejectionBy = ({ checks }: Score): RejectionCode => {
  if (checks.length === 0) return "no_checks"
  return checks.some((check) => check.required && check.verdict === "fail") ? "checks_failed" : "checks_could_not_run"
}

/** What the gate decides by. */
export interface GateInput {
  readonly candidate: Commit.Stored<Candidate>
  readonly change: Commit.Stored<Change>
  readonly head: Commit.Stored<Head>
  readonly policy: Commit.Stored<Policy>
  readonly score: Score
  /** All rows of the Candidate: the risk is judged by them once more. */
  readonly evidence: ReadonlyArray<Evidence>
  /** Approvals of earlier Candidates that count for it; none without it. */
  readonly carried?: Carried
  /** Whether it was taken out of the lane, and so does not go out by itself. */
  readonly takenOut?: boolean
  readonly now: Time.Timestamp
}

/** The plan as it stands once the checks have run: what they showed may raise the risk, and with it what is owed. */
const afterChecks = ({ candidate, evidence, policy }: GateInput) => {
  const { commit, plan, tree } = candidate.record
  if (plan === null || commit === null || tree === null) return { plan, broken: [] }
  const riskTier = riskAfter(plan, { commit, tree }, evidence)
  const approvalRequired = plan.approvalRequired || policy.record.approvalRiskTiers.includes(riskTier)
  return { plan: { ...plan, riskTier, approvalRequired }, broken: brokenPromises(plan, { commit, tree }, evidence) }
}

/** What is asked of people when an approval is owed. */
const approvalAsk = ({ candidate, policy }: GateInput, plan: Plan, broken: ReadonlyArray<BrokenPromise>) => ({
  changeId: candidate.record.changeId,
  tree: candidate.record.tree,
  riskTier: plan.riskTier,
  approvalsRequired: policy.record.approvalsRequired,
  brokenPromises: broken.map(({ checkId, count, paths }) => ({ checkId, paths, count }))
})

/** Pure: what the gate writes. Its answer stands only while Candidate, Change, head and Policy are as they were read. */
export const gated = (input: GateInput): Commit.Commit => {
  const { candidate, change, head, now, policy, score } = input
  const { changeId, id: candidateId, projectId } = candidate.record
  const { plan, broken } = afterChecks(input)
  const riskTier = plan === null ? change.record.riskTier : riskier(change.record.riskTier, plan.riskTier)
  const checks = score.checks.map(({ checkId, verdict, evidenceId }) => ({ checkId, verdict, evidenceId }))
  const draft = Draft.begin(projectId, actor, now)
  Draft.expect(draft, Commit.unchanged("head", projectId, head), Commit.unchanged("policy", projectId, policy))
  const seen = { plan, score, ...(candidate.record.waits === undefined ? {} : { waits: [] }) }
  if (!score.passed) {
    const reason = problems(score) || "there is no check to run: add one to pawl.json"
    const told = { changeId, checks, reason, ...provisionally(candidate.record, head.record) }
    const rejected = { "candidate.rejected": told }
    const why = { reason, rejection: rejectionBy(score) }
    Draft.step(draft, "candidate", candidate, "checksFailed", { ...seen, ...why }, rejected)
    if (change.record.kind === "rollback") endRollback(draft, change, { candidateId, reason })
    else Draft.update(draft, "change", change, { riskTier, updatedAt: now })
    Draft.send(draft, ...afterRejection(change.record), ...laneStepBehind(change.record, policy.record))
    return Draft.end(draft, { name: "Verification.gate" })
  }
  const { carried = noneCarried } = input
  const asked = plan?.approvalRequired === true && carried.owed !== 0 ? approvalAsk(input, plan, broken) : undefined
  const verified = { "candidate.verified": { changeId, checks }, "approval.requested": asked }
  Draft.step(draft, "candidate", candidate, "checksPassed", { ...seen, reason: null }, verified)
  carriedOver(draft, carried)
  // What its repairs came to is told no more.
  const mended = workStatus(change.record) === "verifying" ? { reason: null } : {}
  // A Change whose Tasks go on awaits the approval when the last of them is completed.
  if (asked !== undefined && mayWork(draft, change, "approvalNeeded"))
    stepWork(draft, change, "approvalNeeded", { riskTier, ...mended })
  else Draft.update(draft, "change", change, { riskTier, ...mended, updatedAt: now })
  // A rollback that owes a decision is let before nobody any more.
  Draft.send(draft, ...laneStepBehind(change.record, policy.record))
  // In the lane it waits for its turn.
  if (isInLane(change.record)) Draft.send(draft, ...laneStepOf(change.record))
  else if (input.takenOut !== true && promotesItself({ plan }, { riskTier }, policy.record))
    Draft.send(draft, autoPromotion(candidate.record))
  return Draft.end(draft, { name: "Verification.gate" })
}

/** Told of each as of any other that was granted, and what it is derived from. */
const carriedOver = (draft: Draft.Draft, { approvals, expects, owed }: Carried): void => {
  Draft.expect(draft, ...expects)
  for (const [index, approval] of approvals.entries()) {
    const { candidateId, changeId, derivedFrom, id, tree } = approval
    const left = (owed ?? 0) + approvals.length - 1 - index
    const told = { changeId, approvalId: id, tree, owed: left, ...(derivedFrom === undefined ? {} : { derivedFrom }) }
    Draft.insert(draft, "approval", approval)
    Draft.emit(draft, "approval.granted", candidateId, told)
  }
}
