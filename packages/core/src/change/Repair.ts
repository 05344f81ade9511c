/**
 * When a planned Change mends itself: its newest Candidate failed a check, or does not merge. A Task of its own gets
 * what shows it, at most twice, and never for a failure that a repair left as it was. Pure.
 */
import type { Candidate } from "../model/Candidate.ts"
import type { Change } from "../model/Change.ts"
import type { ChangeSet } from "../model/ChangeSet.ts"
import { rejectionOf } from "../model/StoredReasons.ts"
import { isPlanned, isRepair, type Task } from "../model/Task.ts"
import { isOver } from "../model/TaskLifecycle.ts"
import type { NewCommand } from "../model/Command.ts"
import { Limits } from "../primitives/Limits.ts"
import { dispatchOf } from "./Changes.ts"
import { isInLane, laneStepOf } from "../work/LaneWork.ts"

/**
 * What is sent when a Candidate was rejected: a planned Change looks whether it mends itself. In the lane that is not
 * asked yet: what it failed on may never become canonical.
 */
export const afterRejection = (change: Change): ReadonlyArray<NewCommand> => {
  if (isInLane(change)) return laneStepOf(change)
  return change.planned === true ? [dispatchOf(change.id)] : []
}

/** What a Candidate was rejected for, when a repair may mend it. */
export interface Failure {
  readonly candidateId: Candidate["id"]
  /** The same for the same failure, however long it took: the checks and what they said, or the paths in conflict. */
  readonly mark: string
  /** In a few words: the checks, or the paths. */
  readonly what: string
}

/** A Change whose work is done, as it was read. Lists are in order of insertion. */
export interface Situation {
  readonly tasks: ReadonlyArray<Task>
  readonly changeSets: ReadonlyArray<Pick<ChangeSet, "id" | "taskId">>
  readonly candidates: ReadonlyArray<Candidate>
  /** Of each Candidate that may be mended, by its id. */
  readonly failures: ReadonlyMap<string, Failure>
}

/** What is due. */
export type Due =
  | { readonly _tag: "Nothing" }
  /** The `n`th repair. */
  | { readonly _tag: "Repair"; readonly n: number; readonly failure: Failure }
  /** Nothing more is tried: a person is told why. */
  | { readonly _tag: "TellPerson"; readonly reason: string }

/** Whether a repair may mend what a Candidate was rejected for. A gap is for the machine's keeper, not for the work. */
export const isMendable = (candidate: Candidate): boolean => {
  const code = rejectionOf(candidate)
  return code === "checks_failed" || code === "merge_conflict"
}

const alive: ReadonlySet<Candidate["status"]> = new Set(["composing", "composed", "verifying", "verified", "promoted"])
/** Whether a Candidate may still be promoted, or is on its way there. Another takes the place of a stale one. */
const isAlive = ({ status }: Candidate): boolean => alive.has(status)

/**
 * The Candidate that a repair would be for: the newest with all that was done, where nothing else is on its way. What was
 * done since is asked for first.
 */
const toMend = ({ candidates, changeSets, failures, tasks }: Situation): readonly [Candidate, Failure] | null => {
  const whole = candidates.findLast((each) => each.changeSets.length === changeSets.length)
  const failure = whole === undefined ? undefined : failures.get(whole.id)
  if (whole === undefined || failure === undefined || !tasks.some(isPlanned)) return null
  return candidates.some(isAlive) || tasks.some((task) => isRepair(task) && !isOver(task)) ? null : [whole, failure]
}

/** Why no further repair is tried; null when one is. */
const whyNot = (situation: Situation, candidate: Candidate, failure: Failure): string | null => {
  const { candidates, changeSets, failures, tasks } = situation
  const repairs = tasks.filter(isRepair)
  const last = repairs.at(-1)
  if (last?.status === "failed") return `${last.key} failed: ${last.reason ?? "no reason given"}`
  if (last !== undefined && !changeSets.some(({ taskId }) => taskId === last.id)) return `${last.key} changed nothing`
  const isSame = (other: Candidate) => other.id !== candidate.id && failures.get(other.id)?.mark === failure.mark
  if (last !== undefined && candidates.some(isSame)) return `${last.key} left it as it was`
  if (repairs.length >= Limits.repairsPerChange) return `${repairs.length} repairs are all that is tried`
  return hasCandidateLeft(candidates) ? null : `the Change has its ${Limits.candidatesPerChange} Candidates`
}

/** Whether another Candidate may be asked for: those that only followed canonical are not counted. */
const hasCandidateLeft = (candidates: Situation["candidates"]): boolean =>
  candidates.filter(({ id, lineage }) => id === lineage).length < Limits.candidatesPerChange

/** What a person can do. */
const wayOn = ({ candidates }: Situation): string =>
  hasCandidateLeft(candidates) ? "Send an edit and ask for a Candidate." : "Open another Change for what is left."

/** What is due for a Change that is verified. */
export const dueRepair = (situation: Situation): Due => {
  const found = toMend(situation)
  if (found === null) return { _tag: "Nothing" }
  const [candidate, failure] = found
  const why = whyNot(situation, candidate, failure)
  if (why === null) return { _tag: "Repair", n: situation.tasks.filter(isRepair).length + 1, failure }
  const way = wayOn(situation)
  return {
    _tag: "TellPerson",
    reason: `${`${failure.what}; ${why}`.slice(0, Limits.problemLength - way.length - 2)}. ${way}`
  }
}
