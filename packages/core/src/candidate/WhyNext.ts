/** What a person can do about a Candidate, in one sentence. Pure. */
import type { Block } from "../promotion/Canonical.ts"
import type { Candidate } from "./Candidate.ts"
import { noBudget } from "./SandboxBudget.ts"
import type { Reading } from "./Why.ts"

/** The first thing to do; whoever did it asks again. */
export const nextStep = (reading: Reading, blocks: ReadonlyArray<Block>): string => {
  const { candidate } = reading.snapshot
  const letter = reading.deadLetters[0]
  if (letter !== undefined)
    return `A step failed too often (${letter.kind}: ${letter.lastProblem ?? "no reason given"}): retry or dismiss the dead letter ${letter.id}.`
  switch (candidate.record.status) {
    case "composing":
    case "composed":
      return "Wait: it is being composed."
    case "verifying":
      return "Wait: its checks are running."
    case "verified":
      return verified(reading, blocks)
    case "promoted":
      return promoted(reading)
    case "rejected":
      return rejected(reading)
    case "stale":
      return stale(reading)
    case "blocked":
      return "Canonical moved on each time it was recomposed: record another ChangeSet on the head, and ask for a new Candidate."
  }
}

const verified = ({ snapshot, tasks }: Reading, blocks: ReadonlyArray<Block>): string => {
  const has = (code: Block["code"]) => blocks.some((block) => block.code === code)
  const changeId = snapshot.change.record.id
  if (has("base_behind")) return "Wait: canonical moved on, and it becomes stale at once."
  if (has("policy_version_mismatch"))
    return `The Policy changed since it was planned: ask for the same Candidate again (POST /v1/changes/${changeId}/candidates), and it is planned anew.`
  if (has("check_gap")) return "Its evidence does not hold any more: tell whoever runs this server, and run an audit."
  if (has("composed_commit_missing"))
    return "Its commit is gone from its fork: tell whoever runs this server, and ask for a new Candidate with another ChangeSet."
  if (has("approval_missing")) return `Decide on it: POST /v1/changes/${changeId}/approve.`
  if (blocks.length > 0)
    return `Its Change is ${snapshot.change.record.status}: open another Change if this work is still wanted.`
  const task = tasks[0]
  const aside = task === undefined ? "" : ` Task ${task.key} is ${task.status}; what it was to do is not in it.`
  return `Promote it: POST /v1/candidates/${snapshot.candidate.record.id}/promote.${aside}`
}

const promoted = ({ release, snapshot }: Reading): string => {
  const generation = snapshot.candidate.record.base_generation + 1
  if (release === null) return `Nothing: it is S${generation}.`
  switch (release.status) {
    case "queued":
    case "building":
      return `Wait: it is S${generation}, and its release is ${release.status}.`
    case "deployed":
    case "superseded":
      return `Nothing: it is S${generation}, and its release is ${release.status}.`
    case "failed":
    case "smoke_failed":
      return `It is S${generation}, but its release is ${release.status} (${release.reason ?? "no reason given"}): mend it with another Change, or roll back.`
  }
}

const rejected = ({ checks, snapshot }: Reading): string => {
  const { conflicts, reason } = snapshot.candidate.record
  const changeId = snapshot.change.record.id
  if (snapshot.change.record.status === "cancelled") return "Its Change was cancelled: open another one."
  if (snapshot.approval?.record.decision === "rejected")
    return `It was rejected by ${snapshot.approval.record.approver}: record another ChangeSet, and ask for a new Candidate.`
  if (conflicts.length > 0)
    return `It cannot be composed (${reason ?? conflicts.join(", ")}): record a ChangeSet on the head that does it anew, and ask for a new Candidate.`
  if (reason?.startsWith(noBudget) === true)
    return `There is ${reason}: ask for it again when there is time left (POST /v1/changes/${changeId}/candidates with "retry": true).`
  const failing = checks.filter((check) => check.required && check.verdict === "fail")
  if (failing.length > 0)
    return `Mend what fails (${failing.map((check) => check.checkId).join(", ")}): record a ChangeSet, and ask for a new Candidate.`
  const gaps = checks.filter((check) => check.required && check.verdict === "gap")
  if (gaps.length > 0)
    return `No check failed, but ${gaps.map((check) => check.checkId).join(", ")} could not run: ask for it again (POST /v1/changes/${changeId}/candidates with "retry": true).`
  return `Mend what it was rejected for (${reason ?? "no reason given"}): record a ChangeSet, and ask for a new Candidate.`
}

const ended = (candidate: Candidate): boolean => candidate.status === "stale" || candidate.status === "blocked"

const stale = ({ snapshot, successor }: Reading): string => {
  const { kind, projectId, status } = snapshot.change.record
  if (kind === "rollback") return `Ask for the rollback anew: POST /v1/projects/${projectId}/rollback.`
  if (successor !== null && !ended(successor)) return `${successor.id} took its place: look at that one.`
  if (status === "completed" || status === "failed" || status === "cancelled")
    return `Its Change is ${status}: open another Change if this work is still wanted.`
  return "Wait: a new Candidate of the same ChangeSets takes its place on the new base."
}
