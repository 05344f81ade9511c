/** What a person can do about a Candidate, in one sentence. Pure. */
import { isUsedUp } from "../bundle/Builds.ts"
import { standingOf } from "../approval/Standing.ts"
import type { ChangeStatus } from "../model/Change.ts"
import { isClosed } from "../change/Changes.ts"
import { type Block, buildIsOwed, promotingOther } from "../promotion/Canonical.ts"
import type { Candidate } from "../model/Candidate.ts"
import { noBudget } from "../verification/SandboxBudget.ts"
import type { Reading } from "./Why.ts"

/** The first thing to do; whoever did it asks again. */
export const nextStep = (reading: Reading, blocks: ReadonlyArray<Block>): string => {
  const { candidate } = reading.snapshot
  if (reading.archived) return archived(candidate.record)
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
      return blocked(reading)
  }
}

/** Whatever stands in its way, nothing can be done about it. */
const archived = ({ base_generation, status }: Candidate): string =>
  status === "promoted"
    ? `Nothing: it is S${base_generation + 1}, and its Project is archived.`
    : "Nothing: its Project is archived, and takes no more work."

const verified = ({ snapshot, tasks }: Reading, blocks: ReadonlyArray<Block>): string => {
  const has = (code: Block["code"]) => blocks.some((block) => block.code === code)
  const changeId = snapshot.change.record.id
  if (has("base_behind")) return "Wait: canonical moved on, and it becomes stale at once."
  if (has("policy_version_mismatch"))
    return `The Policy changed since it was planned: ask for the same Candidate again (POST /v1/changes/${changeId}/candidates), and it is planned anew.`
  if (buildIsOwed(snapshot))
    return `It was planned without the build that it owes now: ask for the same Candidate again (POST /v1/changes/${changeId}/candidates), and it is planned anew.`
  if (has("check_gap")) return "Its evidence does not hold any more: tell whoever runs this server, and run an audit."
  if (has("composed_commit_missing"))
    return "Its commit is gone from its fork: tell whoever runs this server, and ask for a new Candidate with another ChangeSet."
  if (has("approval_missing")) return `${whoDecides(snapshot)}: POST /v1/changes/${changeId}/approve.`
  const other = promotingOther(snapshot)
  if (other !== null) return `Wait: the Change is promoting ${other}, and what becomes of that one decides.`
  if (blocks.length > 0) return over(snapshot.change.record.status)
  const task = tasks[0]
  const aside = task === undefined ? "" : ` Task ${task.key} is ${task.status}; what it was to do is not in it.`
  return `Promote it: POST /v1/candidates/${snapshot.candidate.record.id}/promote.${aside}`
}

/** With nobody's decision there yet, and one needed, whoever reads this may be the one. */
const whoDecides = ({ candidate, decisions, policy }: Reading["snapshot"]): string => {
  const { granted, owed } = standingOf(decisions, candidate.record.tree, policy.record)
  if (granted.length === 0) return owed === 1 ? "Decide on it" : `Decide on it; ${owed} people must`
  return owed === 1 ? "One more person must decide on it" : `${owed} more people must decide on it`
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

const rejected = (reading: Reading): string => {
  const { checks, snapshot } = reading
  const { conflicts, reason } = snapshot.candidate.record
  const changeId = snapshot.change.record.id
  if (snapshot.change.record.kind === "rollback") return rollbackAnew(reading)
  if (snapshot.change.record.status === "cancelled") return "Its Change was cancelled: open another one."
  const by = snapshot.decisions.approvals.find((each) => each.record.decision === "rejected")?.record.approver
  if (by !== undefined) return `It was rejected by ${by}: record another ChangeSet, and ask for a new Candidate.`
  if (conflicts.length > 0)
    return `It cannot be composed (${reason ?? conflicts.join(", ")}): record a ChangeSet on the head that does it anew, and ask for a new Candidate.`
  if (reason?.startsWith(noBudget) === true)
    return `There is ${reason}: ask for it again when there is time left (POST /v1/changes/${changeId}/candidates with "retry": true).`
  const failing = checks.filter((check) => check.required && check.verdict === "fail")
  if (failing.length > 0)
    return `Mend what fails (${failing.map((check) => check.checkId).join(", ")}): record a ChangeSet, and ask for a new Candidate.`
  const gaps = checks.filter((check) => check.required && check.verdict === "gap")
  const noTime = gaps.find((check) => check.summary.startsWith(noBudget))
  if (noTime !== undefined)
    return `There is ${noTime.summary}: ask for it again when there is time left (POST /v1/changes/${changeId}/candidates with "retry": true).`
  if (gaps.some((check) => isUsedUp(check.summary)))
    return `All builds of today are used: wait for the next day (UTC), then ask for it again (POST /v1/changes/${changeId}/candidates with "retry": true).`
  if (gaps.length > 0)
    return `No check failed, but ${gaps.map((check) => check.checkId).join(", ")} could not run: ask for it again (POST /v1/changes/${changeId}/candidates with "retry": true).`
  return `Mend what it was rejected for (${reason ?? "no reason given"}): record a ChangeSet, and ask for a new Candidate.`
}

/** A rollback ends with its Candidate. */
const rollbackAnew = ({ checks, snapshot }: Reading): string => {
  const ask = `sk for the rollback anew: POST /v1/projects/${snapshot.change.record.projectId}/rollback.`
  return checks.some((check) => check.verdict === "gap" && isUsedUp(check.summary))
    ? `All builds of today are used: wait for the next day (UTC), then a${ask}`
    : `A${ask}`
}

const ended = (candidate: Candidate): boolean => candidate.status === "stale" || candidate.status === "blocked"

const over = (status: ChangeStatus): string =>
  `Its Change is ${status}: open another Change if this work is still wanted.`

const stale = (reading: Reading): string => {
  const { snapshot, successor } = reading
  const { kind, status } = snapshot.change.record
  if (kind === "rollback") return rollbackAnew(reading)
  if (successor !== null && !ended(successor)) return `${successor.id} took its place: look at that one.`
  if (isClosed(status)) return over(status)
  return "Wait: a new Candidate of the same ChangeSets takes its place on the new base."
}

/** A Candidate of a new lineage may have more luck. */
const blocked = ({ snapshot }: Reading): string => {
  const { id, status } = snapshot.change.record
  return isClosed(status)
    ? over(status)
    : `Canonical moved on each time it was recomposed: ask for a Candidate again (POST /v1/changes/${id}/candidates), as it is or with another ChangeSet on the head.`
}
