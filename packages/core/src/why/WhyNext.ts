/** What a person can do about a Candidate, as a code with what it is about; whoever shows it makes the words. Pure. */
import type { ChangeStatus } from "../model/Change.ts"
import { isClosed } from "../change/Changes.ts"
import type { CommandKind } from "../model/Command.ts"
import type { Release } from "../model/Release.ts"
import { rejectionOf } from "../model/StoredReasons.ts"
import type { TaskStatus } from "../model/Task.ts"
import { type Block, buildIsOwed, promotingOther } from "../promotion/Canonical.ts"
import { waitsOf } from "../candidate/Waits.ts"
import type { Candidate, CandidateWait } from "../model/Candidate.ts"
import type { Reading } from "./Why.ts"
import { type Doubt, isUrgent } from "./WhyDoubt.ts"
import { type ToDecide, toDecide, type Turn, turnOf } from "./WhyTurn.ts"

/** What there is to do, and nothing else: ids, numbers, statuses, and what others have said in words of their own. */
export type Next =
  /** Its Project is archived; `generation` is the one that it became. */
  | { readonly code: "project_archived"; readonly generation: number | null }
  | {
      readonly code: "dead_letter"
      readonly id: string
      readonly kind: CommandKind
      readonly problem: string | null
    }
  /** Nothing but waiting. */
  | { readonly code: "composing" | "checking" | "becoming_stale" | "awaiting_base" | "awaiting_successor" }
  /** Nothing but waiting: what could not be done is tried again by itself. */
  | { readonly code: "waiting"; readonly wait: CandidateWait }
  /** Nothing but waiting: a Task of its own mends it. */
  | { readonly code: "mending"; readonly taskKey: string }
  | { readonly code: "another_promoting"; readonly candidateId: string }
  /** Ask for the same Candidate again: it is planned anew. */
  | { readonly code: "policy_changed" | "build_owed"; readonly changeId: string }
  /** Nothing but waiting: at the thaw it goes out by itself, when it may or when somebody has asked for it. */
  | { readonly code: "frozen"; readonly candidateId: string; readonly until: string; readonly reason: string }
  /** For whoever runs the installation. */
  | { readonly code: "evidence_void" | "commit_missing" }
  | ToDecide
  /** `unfinished` is a Task whose work is not in it. */
  | {
      readonly code: "promote"
      readonly candidateId: string
      readonly unfinished: { readonly key: string; readonly status: TaskStatus } | null
    }
  | { readonly code: "change_over"; readonly status: ChangeStatus }
  /** Promoted; `release` is null where there is none. */
  | { readonly code: "promoted"; readonly generation: number; readonly release: Release["status"] | null }
  /** Promoted, and nobody vouches for it. */
  | { readonly code: "doubted"; readonly generation: number; readonly projectId: string; readonly doubt: Doubt }
  | {
      readonly code: "release_failed"
      readonly generation: number
      readonly status: Release["status"]
      readonly reason: string | null
    }
  | { readonly code: "change_cancelled" }
  | { readonly code: "rejected_by"; readonly approver: string }
  | { readonly code: "not_composable"; readonly reason: string | null; readonly conflicts: ReadonlyArray<string> }
  /** Ask for it again, once there is time; `reason` says what is used up. */
  | { readonly code: "sandbox_budget_used_up"; readonly changeId: string; readonly reason: string }
  | { readonly code: "builds_used_up"; readonly changeId: string }
  | { readonly code: "checks_failed"; readonly checkIds: ReadonlyArray<string> }
  | { readonly code: "checks_could_not_run"; readonly changeId: string; readonly checkIds: ReadonlyArray<string> }
  | { readonly code: "rejected"; readonly reason: string | null }
  /** A rollback has one Candidate. */
  | { readonly code: "rollback_anew"; readonly projectId: string; readonly buildsUsedUp: boolean }
  | { readonly code: "replaced"; readonly candidateId: string }
  /** Recomposed as often as it may be: a Candidate of a new lineage may have more luck. */
  | { readonly code: "recomposed_in_vain"; readonly changeId: string }
  /** Its Change stands in the lane. */
  | Turn

/** The first thing to do; whoever did it asks again. */
export const nextStep = (reading: Reading, blocks: ReadonlyArray<Block>): Next => {
  const { candidate } = reading.snapshot
  const wait = waitsOf(candidate.record).at(-1)
  if (reading.archived) return { code: "project_archived", generation: generationOf(candidate.record) }
  const letter = reading.deadLetters[0]
  if (letter !== undefined)
    return { code: "dead_letter", id: letter.id, kind: letter.kind, problem: letter.lastProblem }
  if (wait !== undefined) return { code: "waiting", wait }
  const turn = turnOf(reading, blocks)
  if (turn !== null) return turn
  switch (candidate.record.status) {
    case "composing":
    case "composed":
      return { code: "composing" }
    case "verifying":
      return { code: "checking" }
    case "verified":
      return verified(reading, blocks)
    case "promoted":
      return promoted(reading)
    case "rejected":
      return rejected(reading)
    case "stale":
      return stale(reading)
    case "blocked":
      return blocked(reading)
  }
}

const generationOf = ({ baseGeneration, status }: Candidate): number | null =>
  status === "promoted" ? baseGeneration + 1 : null

const verified = ({ snapshot, tasks }: Reading, blocks: ReadonlyArray<Block>): Next => {
  const has = (code: Block["code"]) => blocks.some((block) => block.code === code)
  const changeId = snapshot.change.record.id
  if (has("base_behind")) return { code: "becoming_stale" }
  if (has("base_ahead")) return { code: "awaiting_base" }
  if (has("policy_version_mismatch")) return { code: "policy_changed", changeId }
  if (buildIsOwed(snapshot)) return { code: "build_owed", changeId }
  if (has("check_gap")) return { code: "evidence_void" }
  if (has("composed_commit_missing")) return { code: "commit_missing" }
  if (has("approval_missing")) return toDecide(snapshot)
  const other = promotingOther(snapshot)
  if (other !== null) return { code: "another_promoting", candidateId: other }
  const frozen = blocks.find(({ code }) => code === "frozen")
  const isFrozenAlone = blocks.every(({ code }) => code === "frozen")
  if (frozen?.until !== undefined && isFrozenAlone) {
    const { reason = "", until } = frozen
    return { code: "frozen", candidateId: snapshot.candidate.record.id, until, reason }
  }
  if (blocks.length > 0) return { code: "change_over", status: snapshot.change.record.status }
  const task = tasks[0]
  const unfinished = task === undefined ? null : { key: task.key, status: task.status }
  return { code: "promote", candidateId: snapshot.candidate.record.id, unfinished }
}

const promoted = ({ doubt, release, snapshot }: Reading): Next => {
  const { baseGeneration, projectId } = snapshot.candidate.record
  const generation = baseGeneration + 1
  if (doubt !== null && isUrgent(doubt)) return { code: "doubted", generation, projectId, doubt }
  return release !== null && (release.status === "failed" || release.status === "smoke_failed")
    ? { code: "release_failed", generation, status: release.status, reason: release.reason }
    : { code: "promoted", generation, release: release?.status ?? null }
}

const rejected = (reading: Reading): Next => {
  const { checks, snapshot } = reading
  const { conflicts, reason } = snapshot.candidate.record
  const changeId = snapshot.change.record.id
  if (snapshot.change.record.kind === "rollback") return rollbackAnew(reading)
  if (snapshot.change.record.status === "cancelled") return { code: "change_cancelled" }
  const approver = snapshot.decisions.approvals.find((each) => each.record.decision === "rejected")?.record.approver
  if (approver !== undefined) return { code: "rejected_by", approver }
  if (reading.repair !== null) return { code: "mending", taskKey: reading.repair.key }
  if (conflicts.length > 0) return { code: "not_composable", reason, conflicts }
  if (reason !== null && rejectionOf(snapshot.candidate.record) === "sandbox_budget_used_up")
    return { code: "sandbox_budget_used_up", changeId, reason }
  const failing = checks.filter((check) => check.required && check.verdict === "fail")
  if (failing.length > 0) return { code: "checks_failed", checkIds: failing.map(({ checkId }) => checkId) }
  const gaps = checks.filter((check) => check.required && check.verdict === "gap")
  const noTime = gaps.find((check) => check.gap === "sandbox_budget_used_up")
  if (noTime !== undefined) return { code: "sandbox_budget_used_up", changeId, reason: noTime.summary }
  if (gaps.some((check) => check.gap === "builds_used_up")) return { code: "builds_used_up", changeId }
  if (gaps.length > 0) return { code: "checks_could_not_run", changeId, checkIds: gaps.map(({ checkId }) => checkId) }
  return { code: "rejected", reason }
}

/** A rollback ends with its Candidate. */
const rollbackAnew = ({ checks, snapshot }: Reading): Next => ({
  code: "rollback_anew",
  projectId: snapshot.change.record.projectId,
  buildsUsedUp: checks.some((check) => check.verdict === "gap" && check.gap === "builds_used_up")
})

const ended = (candidate: Candidate): boolean => candidate.status === "stale" || candidate.status === "blocked"

const stale = (reading: Reading): Next => {
  const { snapshot, successor } = reading
  const { kind, status } = snapshot.change.record
  if (kind === "rollback") return rollbackAnew(reading)
  if (successor !== null && !ended(successor)) return { code: "replaced", candidateId: successor.id }
  return isClosed(status) ? { code: "change_over", status } : { code: "awaiting_successor" }
}

const blocked = ({ snapshot }: Reading): Next => {
  const { id, status } = snapshot.change.record
  return isClosed(status) ? { code: "change_over", status } : { code: "recomposed_in_vain", changeId: id }
}
