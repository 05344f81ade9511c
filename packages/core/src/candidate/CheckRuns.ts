/**
 * The checks of a Candidate, each run once: by its command, or by what is known already. Each finished one is an Evidence
 * row plus its whole output as an object, journalled together.
 */
import { Effect, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { evidenceOf } from "../verification/CandidateEvidence.ts"
import { type Evidence, EvidenceResult, EvidenceStatus, GapCode, Runner } from "../model/Evidence.ts"
import * as Commit from "../ledger/Commit.ts"
import { demand } from "../ledger/Decision.ts"
import { isOutage } from "../work/Outages.ts"
import { commitStep, isDone, journalled, Waiting } from "../work/Processes.ts"
import * as JournalStep from "../work/JournalStep.ts"
import { laneStep } from "../work/LaneWork.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { sha256 } from "../primitives/Digest.ts"
import { makeUlid } from "../primitives/Ids.ts"
import * as Time from "../primitives/Time.ts"
import { Limits } from "../primitives/Limits.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { NewCommand } from "../model/Command.ts"
import type { Flake } from "../model/Flake.ts"
import type { Check } from "../model/Plan.ts"
import { checkDigestOf } from "../verification/CheckDigest.ts"
import { type Composed, runCheckWithRetries } from "../verification/Checks.ts"
import { declaredInputs, earlierEvidence } from "../verification/EarlierEvidence.ts"
import { begin, markOf, verification } from "./CheckHistory.ts"
import { missed, settled } from "./Waits.ts"

/**
 * Runs all checks; once the build is through, `built` beside the others. One that finds no sandbox, or meets what is
 * away, ends none of the others; then the rest is done another time.
 */
export const runChecks = Effect.fnUntraced(function* <R>(
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

/**
 * Runs a check unless its evidence is there. A command that failed runs once more where the plan says so: that alone, on
 * the same tree. Both rows stay.
 */
const checkOnce = Effect.fnUntraced(function* (check: Check, composed: Composed) {
  yield* record(check, composed, null)
  if (composed.candidate.plan?.flakeRetries !== 1 || check.kind !== "command") return
  const rows = yield* evidenceOf(composed.candidate.id)
  const failure = rows.find((row) => row.checkId === check.id && row.result === "fail")
  if (failure !== undefined) yield* record(check, composed, failure)
})

/** Whether a check, or the retry of its failure, has shown what it could. */
const hasShown = (check: Check, failure: Evidence | null) => (row: Evidence) =>
  row.checkId === check.id && (failure === null ? row.result !== "gap" : row.retryOf !== undefined)

/** Runs a check, or retries its `failure`, and records what it showed. */
const record = (check: Check, composed: Composed, failure: Evidence | null) =>
  Effect.gen(function* () {
    const name = `${check.id}${failure === null ? "" : "#retry"}@${composed.candidate.plan?.policyVersion ?? 0}`
    if (yield* isDone(checkedStep(name))) return
    // Stale, rejected or cancelled meanwhile: nothing needs this check any more.
    const { status, waits = [] } = (yield* demand("candidate", composed.candidate.id)).record
    if (status !== "verifying") return
    // Checked before, under an older Policy: the definition comes from the same base, so it showed the same.
    if ((yield* evidenceOf(composed.candidate.id)).some(hasShown(check, failure))) return
    const earlier = failure === null ? yield* earlierEvidence(check, composed) : null
    if (earlier !== null) {
      yield* insert(name, earlier, composed, { from: null })
      if (waits.length > 0) yield* settled(composed.candidate.id, check.id)
      return
    }
    yield* begin(name, check, composed.candidate, failure !== null)
    const ran = yield* whileNeeded(check, composed, ranOnce(name, check, composed, failure?.attempt ?? 0))
    if (ran === null) return
    const { finding, ...run } = ran
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
      ...(failure === null ? {} : { retryOf: failure.id }),
      ...(finding.bundleDigest === undefined ? {} : { bundleDigest: finding.bundleDigest }),
      ...(finding.sbom === undefined ? {} : { sbom: finding.sbom }),
      ...(finding.inputs === undefined ? {} : { inputs: finding.inputs }),
      ...(yield* digestsOf(check, composed, finding.runnerDigest)),
      ...(check.waived === undefined ? {} : { waived: check.waived })
    }
    const commands = evidence.result === "fail" && failure === null ? retried(check, composed.candidate) : []
    const flakes = flakeOf(evidence, failure, composed.candidate)
    yield* insert(name, evidence, composed, { from: "started", flakes, commands })
    if (run.attempt > 1 || waits.length > 0) yield* settled(composed.candidate.id, check.id)
  }).pipe(Effect.withSpan("Verification.check", { attributes: { checkId: check.id } }))

/** What becomes of a failure that is retried, in the lane: those behind are made without it meanwhile. */
const retried = (check: Check, { plan, prediction, projectId }: Candidate): ReadonlyArray<NewCommand> =>
  prediction !== undefined && plan?.flakeRetries === 1 && check.kind === "command" ? [laneStep(projectId)] : []

/** Whether a Candidate is not to be checked any more. That it cannot be read now says nothing. */
const isGivenUp = (candidateId: string) =>
  demand("candidate", candidateId).pipe(
    Effect.map(({ record: { status } }) => status !== "verifying"),
    Effect.catch(() => Effect.succeed(false))
  )

/** Runs a command while its Candidate is to be checked; null once it is not: the sandbox is for who needs it. */
const whileNeeded = <A, E, R>({ kind }: Check, { candidate }: Composed, work: Effect.Effect<A, E, R>) => {
  if (kind !== "command") return work
  const givenUp = isGivenUp(candidate.id).pipe(
    Effect.delay(Limits.checkNeededMs),
    Effect.repeat({ until: (isOver) => isOver }),
    Effect.as(null)
  )
  return Effect.raceFirst(work, givenUp)
}

/** What stands beside a check's row. */
interface Beside {
  /** Null for one of which nothing was run. */
  readonly from: "started" | null
  readonly flakes?: ReadonlyArray<Flake>
  readonly commands?: ReadonlyArray<NewCommand>
}

/** A check's row, what its retry tells, and the step that both end are one commit. */
const insert = (
  name: string,
  evidence: Evidence,
  { candidate }: Composed,
  { commands = [], flakes = [], from }: Beside
) =>
  commitStep(
    checkedStep(name),
    {
      name: "Verification.evidence",
      projectId: evidence.projectId,
      actor: verification,
      writes: [Commit.insert("evidence", evidence), ...flakes.map((flake) => Commit.insert("flake", flake))],
      marks: [markOf(candidate, evidence.checkId, { from, to: "finished", reason: evidence.result })],
      ...(commands.length === 0 ? {} : { commands })
    },
    { evidenceId: evidence.id }
  )

/** The fact that a retry which passed makes of the failure before it; none otherwise. */
const flakeOf = (row: Evidence, failure: Evidence | null, { changeId, id }: Candidate): ReadonlyArray<Flake> => {
  const { checkId, finishedAt, projectId, result, status, tree } = row
  if (failure === null || status !== "checked_supported" || result !== "pass") return []
  return [{ passId: row.id, failId: failure.id, projectId, changeId, candidateId: id, checkId, tree, at: finishedAt }]
}

/** What says of a row for which others it counts. */
const digestsOf = Effect.fnUntraced(function* (check: Check, composed: Composed, runnerDigest: string | undefined) {
  const checkDigest = checkDigestOf(check, composed.candidate)
  const inputs = yield* declaredInputs(check, composed, { checkDigest, runnerDigest })
  return { checkDigest, ...(runnerDigest === undefined ? {} : { runnerDigest }), ...inputs }
})

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
      runnerDigest: Schema.optionalKey(Schema.String),
      bundleDigest: Schema.optionalKey(Schema.String),
      sbom: Schema.optionalKey(Schema.String),
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

const ranOnce = Effect.fnUntraced(function* (name: string, check: Check, composed: Composed, triedBefore: number) {
  const kept = yield* journalled(ranStep(name))
  if (kept === undefined)
    return yield* runCheckWithRetries(check, composed, (tried) => missed(composed.candidate.id, tried), triedBefore)
  const output = yield* Effect.orDie(Effect.fromResult(Base64.decode(kept.finding.output)))
  return { ...kept, finding: { ...kept.finding, output } } satisfies Ran
})
