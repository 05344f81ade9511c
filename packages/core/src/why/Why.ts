/**
 * Why a Candidate is where it is, and what a person can do about it: every block at once, each check with the end of
 * what it said, what is owed and what stands in the way. It only reads.
 */
import { Effect, Schema } from "effect"
import { Decision } from "../model/Approval.ts"
import { counts, standingOf } from "../approval/Standing.ts"
import { ChangeStatus } from "../model/Change.ts"
import { ChangeLifecycle } from "../model/ChangeLifecycle.ts"
import { commandId, CommandKind, type DeadLetter } from "../model/Command.ts"
import { Commands } from "../work/Commands.ts"
import { isInLane } from "../work/LaneWork.ts"
import type { GapCode } from "../model/Evidence.ts"
import { CheckVerdict } from "../model/Score.ts"
import { waitOf, waitSummary, waitsOf } from "../candidate/Waits.ts"
import { gapOf } from "../model/StoredReasons.ts"
import { outputEnd } from "../verification/CheckOutput.ts"
import { FlakeRate, flakeRates } from "../verification/Flakes.ts"
import { judge } from "../verification/Gate.ts"
import { demand, find } from "../ledger/Decision.ts"
import * as Lifecycle from "../model/Lifecycle.ts"
import { Records } from "../ledger/Records.ts"
import { ApprovalId, CandidateId, ChangeId, releaseId, reviewId, TaskId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { Timestamp } from "../primitives/Time.ts"
import { brokenOf, needsApproval } from "../approval/OwedApproval.ts"
import { type Block, blocksOf, promotingOther, type Snapshot } from "../promotion/Canonical.ts"
import { snapshot } from "../promotion/Promotions.ts"
import { BlockShape } from "../promotion/Thaw.ts"
import { type Review, Verdict } from "../model/Review.ts"
import { Overlap } from "../model/Overlap.ts"
import type { Release } from "../model/Release.ts"
import { BlockedBy, isRepair, type Task, TaskKind, TaskStatus } from "../model/Task.ts"
import { type Candidate, CandidateStatus, CandidateWait } from "../model/Candidate.ts"
import type { LaneEntry } from "../model/LaneEntry.ts"
import { Doubt, doubtOf } from "./WhyDoubt.ts"
import { changeInLane, WhyLane } from "./WhyLane.ts"
import { EvidenceOrigin, originOf } from "./WhyEvidence.ts"
import { type Next, nextStep } from "./WhyNext.ts"

/** A check's verdict, with what the check said. */
export const WhyCheck = Schema.Struct({
  ...CheckVerdict.fields,
  title: Schema.String,
  /** The end of what it said, as text; null when it passed, said nothing, or its output is not kept any more. */
  output: Schema.NullOr(Schema.String),
  /** Of one that failed, where the Policy knows of flakes: how often it was one. */
  flakes: Schema.optionalKey(FlakeRate),
  ...EvidenceOrigin
})
export interface WhyCheck extends Schema.Schema.Type<typeof WhyCheck> {}

/** The whole answer, of one moment. */
export const Why = Schema.Struct({
  candidate: Schema.Struct({ id: CandidateId, status: CandidateStatus, reason: Schema.NullOr(Schema.String) }),
  change: Schema.Struct({ id: ChangeId, status: ChangeStatus, reason: Schema.NullOr(Schema.String) }),
  /** Whether a promotion asked for now would be granted. */
  canPromote: Schema.Boolean,
  /** Everything that a promotion would be refused for; empty for a promoted Candidate. */
  blocks: Schema.Array(BlockShape),
  /** What could not be done yet and is tried again by itself, while it is composed and checked. */
  waits: Schema.Array(CandidateWait),
  /** In the plan's order; empty before there is a plan. */
  checks: Schema.Array(WhyCheck),
  approval: Schema.Struct({
    /** Whether this Candidate owes one, decided or not. */
    owed: Schema.Boolean,
    /** What was decided, by enough people; null while more must decide. */
    decision: Schema.NullOr(Decision),
    /** Id of the user who settled it; null while more must decide. */
    approver: Schema.NullOr(Schema.String),
    /** When they did. */
    decidedAt: Schema.NullOr(Timestamp),
    /** How many people must grant it. */
    required: Schema.Finite,
    /** How many of them are missing. */
    missing: Schema.Finite,
    /** All decisions, oldest first, and whether each counts. */
    decisions: Schema.Array(
      Schema.Struct({
        approver: Schema.String,
        decision: Decision,
        decidedAt: Timestamp,
        counts: Schema.Boolean,
        /** Of one that was carried over: the approval that it is derived from. */
        derivedFrom: Schema.optionalKey(ApprovalId),
        /** What was said beside it. */
        note: Schema.optionalKey(Schema.String)
      })
    ),
    /** Checks that do not pass, or could not run, with the base's form of the files that it alters or deletes. */
    brokenPromises: Schema.Array(
      Schema.Struct({
        checkId: Schema.String,
        /** The first of the files, and how many there are. */
        paths: Schema.Array(Schema.String),
        count: Schema.Finite,
        summary: Schema.String
      })
    )
  }),
  /** Paths that could not be merged. */
  conflicts: Schema.Array(Schema.String),
  /** What others wrote too, as far as it was known before it was composed. Git decides what is a conflict. */
  overlaps: Schema.Array(Overlap),
  /** What a model said of it: advice, never a gate. Null while nobody was asked. */
  review: Schema.NullOr(Schema.Struct({ verdict: Verdict, text: Schema.String, createdAt: Timestamp })),
  /** Tasks of the Change that failed or are blocked. */
  tasks: Schema.Array(
    Schema.Struct({
      id: TaskId,
      key: Schema.String,
      title: Schema.String,
      kind: TaskKind,
      status: TaskStatus,
      reason: Schema.NullOr(Schema.String),
      /** What it waits for; null for one that failed. */
      blockedBy: Schema.NullOr(BlockedBy),
      /** Id of the user who does it; null for nobody. */
      heldBy: Schema.NullOr(Schema.String)
    })
  ),
  /** Of a promoted one: why nobody vouches for it, or for what is served; null for nothing. */
  doubt: Schema.NullOr(Doubt),
  /** Where its Change stands in the lane; null for one that is not in it. */
  lane: Schema.NullOr(WhyLane),
  /** Commands of this Candidate, its Change, its release or the lane that its Change stands in that failed too often and wait for a person. */
  deadLetters: Schema.Array(
    Schema.Struct({ id: Schema.String, kind: CommandKind, problem: Schema.NullOr(Schema.String), diedAt: Timestamp })
  )
})
export interface Why extends Schema.Schema.Type<typeof Why> {}

/** The answer, with what there is to do. */
export interface Explained extends Why {
  readonly next: Next
}

/** A check as the answer shows it, and why it could not run. */
export interface CheckSeen extends WhyCheck {
  readonly gap: GapCode | null
}

/** All that the answer is made of, as it was read. */
export interface Reading {
  readonly snapshot: Snapshot
  readonly checks: ReadonlyArray<CheckSeen>
  /** Those that failed or are blocked. */
  readonly tasks: ReadonlyArray<Task>
  /** The Task that is mending a Candidate of the Change now. */
  readonly repair: Task | null
  readonly deadLetters: ReadonlyArray<DeadLetter>
  /** The newest Candidate of the same lineage, when that is another one. */
  readonly successor: Candidate | null
  /** Whether its Project is archived. */
  readonly archived: boolean
  /** The release of a promoted Candidate. */
  readonly release: Release | null
  readonly review: Review | null
  readonly doubt: Doubt | null
  readonly lane: WhyLane | null
  /** The entry that `lane` is about. */
  readonly entry: LaneEntry | null
  readonly now: Timestamp
}

/** Fails with `Unknown` when there is no such Candidate. */
export const why = (candidateId: string) => Effect.map(read(candidateId), explain).pipe(Effect.withSpan("Why.why"))

const read = Effect.fnUntraced(function* (candidateId: string) {
  const found = yield* snapshot(candidateId)
  const { id, projectId, changeId, baseGeneration, status, lineage } = found.candidate.record
  const records = yield* Records
  const tasks = (yield* records.list("task", { projectId, where: { changeId }, limit: "all" })).items.map(
    ({ record }) => record
  )
  const line = yield* records.list("candidate", { where: { lineage }, order: "newest", limit: 1 })
  const newest = line.items[0]?.record
  const releaseKey = releaseId(projectId, baseGeneration + 1)
  const release = status === "promoted" ? yield* find("release", releaseKey) : null
  // Ids of commands and what they carry name their subject; the id of a Task holds its Change's.
  const subjects = [
    id,
    changeId,
    ...(release === null ? [] : [releaseKey]),
    ...(isInLane(found.change.record) ? [commandId("lane.step", projectId)] : [])
  ]
  const deadLetters = yield* Effect.flatMap(Commands, (commands) =>
    commands.deadLetters(projectId, { naming: subjects })
  )
  const now = yield* Time.now
  const lane = yield* changeInLane(changeId)
  return {
    snapshot: found,
    now,
    checks: yield* checksOf(found, now),
    tasks: tasks.filter((task) => task.status === "failed" || task.status === "blocked"),
    repair: tasks.find((task) => isRepair(task) && ["ready", "assigned", "running"].includes(task.status)) ?? null,
    deadLetters,
    successor: newest === undefined || newest.id === id ? null : newest,
    archived: (yield* demand("project", projectId)).record.status === "archived",
    release: release?.record ?? null,
    doubt: status === "promoted" ? yield* doubtOf(projectId, baseGeneration + 1, release?.record ?? null) : null,
    review: (yield* find("review", reviewId(id)))?.record ?? null,
    lane,
    entry: lane === null ? null : (yield* demand("laneEntry", lane.entryId)).record
  } satisfies Reading
})

/** How often the checks of a Project are flaky, where one of these failed and the Policy knows of flakes. */
const ratesBeside = Effect.fnUntraced(function* ({ candidate, policy }: Snapshot, checks: ReadonlyArray<CheckVerdict>) {
  const { flakeRetries, waivedChecks } = policy.record
  const isAsked = flakeRetries === 1 || waivedChecks.some(({ because }) => because === "flaky")
  if (!isAsked || checks.every(({ verdict }) => verdict !== "fail")) return []
  return yield* flakeRates(candidate.record.projectId)
})

const checksOf = Effect.fnUntraced(function* (read: Snapshot, now: Timestamp) {
  const { candidate, evidence } = read
  const { plan, commit, tree } = candidate.record
  if (plan === null || commit === null || tree === null) return []
  const { checks } = judge(plan, { commit, tree }, evidence, now)
  const rates = yield* ratesBeside(read, checks)
  return yield* Effect.forEach(checks, (check, index) => {
    const rate = check.verdict === "fail" ? rates.find(({ checkId }) => checkId === check.checkId) : undefined
    const row = evidence.find(({ id }) => id === check.evidenceId)
    const wait = row === undefined ? waitOf(candidate.record, check.checkId) : null
    return Effect.map(
      check.verdict === "pass" ? Effect.succeed(null) : outputEnd(row, Limits.whyOutputBytes),
      (output): CheckSeen => ({
        ...check,
        ...(wait === null ? {} : { summary: waitSummary(wait) }),
        title: plan.checks[index]?.title ?? check.checkId,
        output,
        ...originOf(row, read),
        ...(rate === undefined ? {} : { flakes: rate }),
        gap: row === undefined ? null : gapOf(row)
      })
    )
  })
})

/** What a promotion asked for now would be refused for. */
const blocking = (read: Snapshot, now: Timestamp): ReadonlyArray<Block> => {
  const { candidate, change } = read
  if (candidate.record.status === "promoted") return []
  const blocks = blocksOf(read, now)
  const { status } = change.record
  const other = promotingOther(read)
  const open = status === "promoting" || Lifecycle.allows(ChangeLifecycle, status, "promotionRequested")
  if ((open && other === null) || blocks.some(({ code }) => code === "candidate_not_verified")) return blocks
  const detail = other === null ? `the Change is ${status}` : `the Change is promoting ${other}`
  return [...blocks, { code: "candidate_not_verified", detail }]
}

const approvalOf = (read: Snapshot): Why["approval"] => {
  const { candidate, decisions, policy } = read
  const { granted, owed, rejected } = standingOf(decisions, candidate.record.tree, policy.record)
  const last = rejected ?? (owed === 0 ? (granted.at(-1) ?? null) : null)
  return {
    owed: needsApproval(read),
    decision: last?.decision ?? null,
    approver: last?.approver ?? null,
    decidedAt: last?.decidedAt ?? null,
    required: policy.record.approvalsRequired,
    missing: owed,
    decisions: decisions.approvals.map(({ record }) => ({
      approver: record.approver,
      decision: record.decision,
      decidedAt: record.decidedAt,
      counts: counts(record, decisions, policy.record),
      ...(record.derivedFrom === undefined ? {} : { derivedFrom: record.derivedFrom }),
      ...(record.note === undefined ? {} : { note: record.note })
    })),
    // Before its checks have run nothing is known of any.
    brokenPromises: (candidate.record.score === null ? [] : brokenOf(read)).map(
      ({ checkId, count, paths, summary }) => ({ checkId, paths, count, summary })
    )
  }
}

const opinionOf = (review: Review | null): Why["review"] =>
  review === null ? null : { verdict: review.verdict, text: review.text, createdAt: review.createdAt }

/** Pure: the answer from what was read. */
const explain = (reading: Reading): Explained => {
  const { candidate, change } = reading.snapshot
  const { id, status, reason, conflicts } = candidate.record
  const blocks = blocking(reading.snapshot, reading.now)
  return {
    candidate: { id, status, reason },
    change: { id: change.record.id, status: change.record.status, reason: change.record.reason },
    canPromote: status === "verified" && !reading.archived && blocks.length === 0,
    blocks,
    waits: waitsOf(candidate.record),
    checks: reading.checks.map(({ gap: _gap, ...check }) => check),
    approval: approvalOf(reading.snapshot),
    conflicts,
    overlaps: candidate.record.plan?.overlaps ?? candidate.record.overlaps ?? [],
    review: opinionOf(reading.review),
    tasks: reading.tasks.map((task) => ({
      id: task.id,
      key: task.key,
      title: task.title,
      kind: task.kind,
      status: task.status,
      reason: task.reason,
      blockedBy: task.blockedBy ?? null,
      heldBy: task.heldBy ?? null
    })),
    doubt: reading.doubt,
    lane: reading.lane,
    deadLetters: reading.deadLetters.map((letter) => ({
      id: letter.id,
      kind: letter.kind,
      problem: letter.lastProblem,
      diedAt: letter.diedAt
    })),
    next: nextStep(reading, blocks)
  }
}
