/** What to do about a Candidate, in one sentence for somebody who asks over HTTP. */
import type { Next } from "@pawl/core/why/WhyNext"
import { doubtInWords } from "./DoubtWords.ts"
import { turnInWords } from "./TurnWords.ts"

const waiting = {
  composing: "Wait: it is being composed.",
  checking: "Wait: its checks are running.",
  becoming_stale: "Wait: canonical moved on, and it becomes stale at once.",
  awaiting_base: "Wait: what it was made on is not canonical yet.",
  awaiting_successor: "Wait: a new Candidate of the same ChangeSets takes its place on the new base."
}

const asked = (changeId: string): string => `POST /v1/changes/${changeId}/candidates`
const askedAgain = (changeId: string): string => `(${asked(changeId)} with "retry": true)`

/** With nobody's decision there yet, and one needed, whoever reads this may be the one. */
const whoDecides = ({ granted, owed }: Extract<Next, { readonly code: "decide" }>): string => {
  if (granted === 0) return owed === 1 ? "Decide on it" : `Decide on it; ${owed} people must`
  return owed === 1 ? "One more person must decide on it" : `${owed} more people must decide on it`
}

const released = ({ generation, release }: Extract<Next, { readonly code: "promoted" }>): string => {
  if (release === null) return `Nothing: it is S${generation}.`
  const isUnderWay = release === "queued" || release === "building"
  return `${isUnderWay ? "Wait" : "Nothing"}: it is S${generation}, and its release is ${release}.`
}

const promotion = ({ candidateId, unfinished }: Extract<Next, { readonly code: "promote" }>): string => {
  const aside =
    unfinished === null ? "" : ` Task ${unfinished.key} is ${unfinished.status}; what it was to do is not in it.`
  return `Promote it: POST /v1/candidates/${candidateId}/promote.${aside}`
}

/** What is tried again by itself: what came to nothing, and when it goes on. */
const triedAgain = ({ wait }: Extract<Next, { readonly code: "waiting" }>): string => {
  const { again, at, attempt, attempts, checkId, reason, tookMs } = wait
  if (attempt === null) return `Wait: ${reason}. That was at ${at}; it is tried again by itself at ${again}.`
  const [first = ""] = reason.split("\n", 1)
  const took = `${Math.round((tookMs ?? 0) / 1000)} s`
  return `Wait: try ${attempt} of ${attempts ?? attempt} of ${checkId ?? "its checks"} showed nothing (${first}; it took ${took}). The next one runs since ${again}.`
}

const rollback = ({ buildsUsedUp, projectId }: Extract<Next, { readonly code: "rollback_anew" }>): string => {
  const ask = `sk for the rollback anew: POST /v1/projects/${projectId}/rollback.`
  return buildsUsedUp ? `All builds of today are used: wait for the next day (UTC), then a${ask}` : `A${ask}`
}

const rejection = (
  next: Extract<
    Next,
    {
      readonly code:
        | "rejected"
        | "rejected_by"
        | "not_composable"
        | "checks_failed"
        | "checks_could_not_run"
        | "sandbox_budget_used_up"
        | "builds_used_up"
    }
  >
): string => {
  switch (next.code) {
    case "rejected_by":
      return `It was rejected by ${next.approver}: record another ChangeSet, and ask for a new Candidate.`
    case "not_composable":
      return `It cannot be composed (${next.reason ?? next.conflicts.join(", ")}): record a ChangeSet on the head that does it anew, and ask for a new Candidate.`
    case "sandbox_budget_used_up":
      return `There is ${next.reason}: ask for it again when there is time left ${askedAgain(next.changeId)}.`
    case "checks_failed":
      return `Mend what fails (${next.checkIds.join(", ")}): record a ChangeSet, and ask for a new Candidate.`
    case "builds_used_up":
      return `All builds of today are used: wait for the next day (UTC), then ask for it again ${askedAgain(next.changeId)}.`
    case "checks_could_not_run":
      return `No check failed, but ${next.checkIds.join(", ")} could not run: ask for it again ${askedAgain(next.changeId)}.`
    case "rejected":
      return `Mend what it was rejected for (${next.reason ?? "no reason given"}): record a ChangeSet, and ask for a new Candidate.`
  }
}

/** One sentence for each code of `Next`, with the request that does it where a request can. */
export const nextInWords = (next: Next): string => {
  switch (next.code) {
    case "composing":
    case "checking":
    case "becoming_stale":
    case "awaiting_base":
    case "awaiting_successor":
      return waiting[next.code]
    case "waiting":
      return triedAgain(next)
    case "project_archived":
      return next.generation === null
        ? "Nothing: its Project is archived, and takes no more work."
        : `Nothing: it is S${next.generation}, and its Project is archived.`
    case "dead_letter":
      return `A step failed too often (${next.kind}: ${next.problem ?? "no reason given"}): retry or dismiss the dead letter ${next.id}.`
    case "mending":
      return `Wait: the Task ${next.taskKey} mends what it was rejected for.`
    case "another_promoting":
      return `Wait: the Change is promoting ${next.candidateId}, and what becomes of that one decides.`
    case "frozen":
      return `Wait: nothing is promoted until ${next.until} (${next.reason}). Then it goes out by itself, when its Policy lets it or when somebody has asked for it: POST /v1/candidates/${next.candidateId}/promote.`
    case "policy_changed":
      return `The Policy changed since it was planned: ask for the same Candidate again (${asked(next.changeId)}), and it is planned anew.`
    case "build_owed":
      return `It was planned without the build that it owes now: ask for the same Candidate again (${asked(next.changeId)}), and it is planned anew.`
    case "evidence_void":
      return "Its evidence does not hold any more: tell whoever runs this server, and run an audit."
    case "commit_missing":
      return "Its commit is gone from its fork: tell whoever runs this server, and ask for a new Candidate with another ChangeSet."
    case "decide":
      return `${whoDecides(next)}: POST /v1/changes/${next.changeId}/approve.`
    case "promote":
      return promotion(next)
    case "change_over":
      return `Its Change is ${next.status}: open another Change if this work is still wanted.`
    case "promoted":
      return released(next)
    case "doubted":
      return doubtInWords(next)
    case "release_failed":
      return `It is S${next.generation}, but its release is ${next.status} (${next.reason ?? "no reason given"}): mend it with another Change, or roll back.`
    case "in_lane":
    case "lane_paused":
    case "land":
      return turnInWords(next)
    case "change_cancelled":
      return "Its Change was cancelled: open another one."
    case "rollback_anew":
      return rollback(next)
    case "replaced":
      return `${next.candidateId} took its place: look at that one.`
    case "recomposed_in_vain":
      return `Canonical moved on each time it was recomposed: ask for a Candidate again (${asked(next.changeId)}), as it is or with another ChangeSet on the head.`
    default:
      return rejection(next)
  }
}
