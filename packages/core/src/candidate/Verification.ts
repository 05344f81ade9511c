/**
 * The verification process, body of `candidate.create`: compose, run each check once, publish the preview as soon as
 * the build is through, gate. Each finished check is an Evidence row plus its whole output as an object, journalled
 * together.
 */
import { Effect, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { system } from "../model/Actor.ts"
import type { Policy } from "../model/Policy.ts"
import { evidenceOf } from "../verification/CandidateEvidence.ts"
import type { Score } from "../model/Score.ts"
import { type BrokenPromise, brokenPromises, judge, riskAfter } from "../verification/Gate.ts"
import { type Evidence, EvidenceResult, EvidenceStatus, GapCode, Runner } from "../model/Evidence.ts"
import type { Change } from "../model/Change.ts"
import { dispatchOf } from "../change/Changes.ts"
import { endRollback } from "../change/LostCandidate.ts"
import { mayWork, stepWork, workStatus } from "../change/WorkStatus.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { isOutage } from "../work/Outages.ts"
import { commitStep, isDone, journalled, Process, Waiting } from "../work/Processes.ts"
import * as JournalStep from "../work/JournalStep.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { sha256 } from "../primitives/Digest.ts"
import { candidateFork, makeUlid } from "../primitives/Ids.ts"
import * as Time from "../primitives/Time.ts"
import { Limits } from "../primitives/Limits.ts"
import type { Repositories } from "../project/Repositories.ts"
import { readFiles } from "../project/Source.ts"
import { publishPreview } from "../app/Previews.ts"
import { ensureSynced } from "../project/SourceSync.ts"
import { autoPromotion, promotesItself } from "./AutoPromotion.ts"
import type { Head } from "../model/Generation.ts"
import type { Candidate, RejectionCode } from "../model/Candidate.ts"
import { type Composed, runCheckWithRetries } from "../verification/Checks.ts"
import { compose, replan } from "./Composer.ts"
import type { Check, Plan } from "../model/Plan.ts"
import { riskier } from "../verification/Risk.ts"
import { markStale } from "./Staleness.ts"

const actor = system("verification")

/** Takes a Candidate from its composition to its end, or to `stale`. Repeating it goes on where it was. */
export const verify = (candidateId: string) =>
  Effect.gen(function* () {
    const before = (yield* demand("candidate", candidateId)).record
    if (yield* markStale(candidateId)) return
    if (before.status === "composing") {
      yield* ensureSynced(before.projectId)
      yield* compose(candidateId)
    }
    yield* replan(candidateId)
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
    yield* decideAndCommit(gating(candidateId))
  }).pipe(Effect.withSpan("Verification.verify", { attributes: { candidateId } }))

/**
 * Runs all checks; once the build is through, `built` beside the others. One that finds no sandbox, or meets what is
 * away, ends none of the others; then the rest is done another time.
 */
const runChecks = Effect.fnUntraced(function* <R>(
  checks: ReadonlyArray<Check>,
  composed: Composed,
  built: Effect.Effect<unknown, never, R>
) {
  const waits = yield* Effect.forEach(
    checks,
    (check) =>
      Effect.andThen(checkOnce(check, composed), check.kind === "build" ? built : Effect.void).pipe(
        Effect.as(null),
        Effect.catchIf((problem) => problem instanceof Waiting || isOutage(problem), Effect.succeed)
      ),
    { concurrency: Limits.activeSandboxesPerChange }
  )
  for (const waiting of waits) if (waiting !== null) return yield* Effect.fail(waiting)
})

/** Runs a check unless its evidence is there, and records what it showed. */
const checkOnce = (check: Check, composed: Composed) =>
  Effect.gen(function* () {
    const name = `${check.id}@${composed.candidate.plan?.policyVersion ?? 0}`
    if (yield* isDone(checkedStep(name))) return
    // Stale, rejected or cancelled meanwhile: nothing needs this check any more.
    if ((yield* demand("candidate", composed.candidate.id)).record.status !== "verifying") return
    // Checked before, under an older Policy: the definition comes from the same base, so it showed the same.
    if ((yield* evidenceOf(composed.candidate.id)).some((row) => row.checkId === check.id && row.result !== "gap"))
      return
    const { finding, ...run } = yield* ranOnce(name, check, composed)
    const outputDigest = yield* sha256(finding.output)
    const outputKey = `evidence/${composed.candidate.projectId}/${outputDigest}`
    yield* (yield* ObjectStore).put(outputKey, finding.output).pipe(
      Effect.tapErrorTag("ObjectStoreUnavailable", () =>
        // What a build put out may be more than a commit holds, and its bundle is stored: that is found again.
        check.kind === "command" ? keep(name, composed, { finding, ...run }) : Effect.void
      )
    )
    const evidence: Evidence = {
      id: `evd_${yield* makeUlid}`,
      projectId: composed.candidate.projectId,
      subject: { candidateId: composed.candidate.id },
      checkId: check.id,
      status: finding.status,
      result: finding.result,
      commit: composed.commit,
      tree: composed.tree,
      outputKey,
      outputDigest,
      startedAt: run.startedAt,
      finishedAt: run.finishedAt,
      runner: finding.runner,
      summary: finding.summary,
      ...(finding.gap === undefined ? {} : { gap: finding.gap }),
      attempt: run.attempt,
      ...(finding.bundleDigest === undefined ? {} : { bundleDigest: finding.bundleDigest }),
      ...(finding.inputs === undefined ? {} : { inputs: finding.inputs }),
      ...(check.waived === undefined ? {} : { waived: check.waived })
    }
    yield* commitStep(
      checkedStep(name),
      { name: "Verification.evidence", projectId: evidence.projectId, writes: [Commit.insert("evidence", evidence)] },
      { evidenceId: evidence.id }
    )
  }).pipe(Effect.withSpan("Verification.check", { attributes: { checkId: check.id } }))

type Ran = Effect.Success<ReturnType<typeof runCheckWithRetries>>

/** A check has its Evidence. Named by the check and the version of the Policy that it was planned under. */
export const checkedStep = JournalStep.each("check", Schema.Struct({ evidenceId: Schema.String }))

/** What a check showed, its output in Base64. */
export const ranStep = JournalStep.each(
  "ran:check",
  Schema.Struct({
    finding: Schema.Struct({
      status: EvidenceStatus,
      result: EvidenceResult,
      summary: Schema.String,
      gap: Schema.optionalKey(GapCode),
      output: Schema.String,
      runner: Runner,
      bundleDigest: Schema.optionalKey(Schema.String),
      inputs: Schema.optionalKey(Schema.Array(Schema.String)),
      worthAnotherTry: Schema.Boolean
    }),
    attempt: Schema.Finite,
    startedAt: Time.Timestamp,
    finishedAt: Time.Timestamp
  })
)

/**
 * What a check showed is kept in the journal while its output cannot be stored: an outage runs nothing twice, and takes
 * none of the month's minutes.
 */
const keep = (name: string, { candidate }: Composed, { finding, ...run }: Ran) =>
  commitStep(
    ranStep(name),
    { name: "Verification.keep", projectId: candidate.projectId },
    { ...run, finding: { ...finding, output: Base64.encode(finding.output) } }
  )

const ranOnce = Effect.fnUntraced(function* (name: string, check: Check, composed: Composed) {
  const kept = yield* journalled(ranStep(name))
  if (kept === undefined) return yield* runCheckWithRetries(check, composed)
  const output = yield* Effect.orDie(Effect.fromResult(Base64.decode(kept.finding.output)))
  return { ...kept, finding: { ...kept.finding, output } } satisfies Ran
})

const gating = Effect.fnUntraced(function* (candidateId: string) {
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
  const decided = gated({ candidate, change, head, policy, score, evidence, now })
  const lease = yield* Effect.map(Process, (process) => process.lease)
  return { answer: undefined, commit: { ...decided, lease } }
})

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
  const seen = { plan, score }
  if (!score.passed) {
    const reason = problems(score) || "there is no check to run: add one to pawl.json"
    const rejected = { "candidate.rejected": { changeId, checks, reason } }
    const why = { reason, rejection: rejectionBy(score) }
    Draft.step(draft, "candidate", candidate, "checksFailed", { ...seen, ...why }, rejected)
    if (change.record.kind === "rollback") endRollback(draft, change, { candidateId, reason })
    else Draft.update(draft, "change", change, { riskTier, updatedAt: now })
    if (change.record.planned === true) Draft.send(draft, dispatchOf(changeId))
    return Draft.end(draft, { name: "Verification.gate" })
  }
  const asked = plan?.approvalRequired === true ? approvalAsk(input, plan, broken) : undefined
  const verified = { "candidate.verified": { changeId, checks }, "approval.requested": asked }
  Draft.step(draft, "candidate", candidate, "checksPassed", { ...seen, reason: null }, verified)
  // What its repairs came to is told no more.
  const mended = workStatus(change.record) === "verifying" ? { reason: null } : {}
  // A Change whose Tasks go on awaits the approval when the last of them is completed.
  if (asked !== undefined && mayWork(draft, change, "approvalNeeded"))
    stepWork(draft, change, "approvalNeeded", { riskTier, ...mended })
  else Draft.update(draft, "change", change, { riskTier, ...mended, updatedAt: now })
  if (promotesItself({ plan }, { riskTier }, policy.record)) Draft.send(draft, autoPromotion(candidate.record))
  return Draft.end(draft, { name: "Verification.gate" })
}
