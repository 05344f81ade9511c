/** An entry of the lane: one Change that waits for its turn to land. */
import { Schema } from "effect"
import { CandidateId, ChangeId, ChangeSetId, LaneEntryId, ProjectId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"
import { withWireNames } from "../primitives/WireNames.ts"
import { Actor } from "./Actor.ts"

/** Each status that an entry can have (decisions, "Lane"). */
export const laneEntryStatuses = [
  /** No Candidate of it is under way: its base is not decided, or it lies too deep. */
  "waiting",
  /** Its Candidate is composed and checked. */
  "running",
  /** Its Candidate is verified and owes nothing: it lands when it stands first. */
  "ready",
  /** Its Candidate failed. That counts only when it stands first on canonical. */
  "doubtful",
  /** It owes a decision of people. Nobody waits for it. */
  "aside",
  /** Its Candidate is canonical. */
  "landed",
  /** It failed standing first, or does not merge with canonical. */
  "rejected",
  /** It was taken out without a verdict. */
  "left"
] as const
/** Those of an entry that has not ended. */
export const openStatuses = ["waiting", "running", "ready", "doubtful", "aside"] as const satisfies ReadonlyArray<
  (typeof laneEntryStatuses)[number]
>
/** One of `laneEntryStatuses`. */
export const LaneEntryStatus = Schema.Literals(laneEntryStatuses)
export type LaneEntryStatus = typeof LaneEntryStatus.Type

/** Whether an entry goes behind those that wait, or before them. */
export const LanePriority = Schema.Literals(["normal", "urgent"])
export type LanePriority = typeof LanePriority.Type

/** Why an entry ended. Programs decide by it, people read `reason`. */
export const LaneOutcomeCode = Schema.Literals([
  "landed",
  /** A required check failed, standing first on canonical. */
  "checks_failed",
  /** A required check could not run, standing first on canonical. */
  "checks_could_not_run",
  /** It does not merge with canonical itself, or cannot be composed on it. */
  "not_mergeable",
  /** A person took it out. */
  "withdrawn",
  /** An approver refused its Candidate. */
  "approval_rejected",
  "change_cancelled",
  /** Its Change ended without the lane: one of its Candidates was promoted past it. */
  "change_closed",
  "archived",
  "lane_off",
  /** Its Change has a newer ChangeSet than the entry: enter anew. */
  "new_work"
])
export type LaneOutcomeCode = typeof LaneOutcomeCode.Type

/** What became of an entry. */
export const LaneOutcome = Schema.Struct({
  code: LaneOutcomeCode,
  /** The generation that it became; only of one that landed. */
  generation: Schema.optionalKey(Schema.Finite),
  /** Who ended it, when a person did. */
  by: Schema.optionalKey(Actor)
})
export interface LaneOutcome extends Schema.Schema.Type<typeof LaneOutcome> {}

/** A Change has at most one that is open. */
export const LaneEntry = Schema.Struct({
  /** `ent_<ULID>` */
  id: LaneEntryId,
  /** The Project that it is of. */
  projectId: ProjectId,
  /** The Change that is to land. */
  changeId: ChangeId,
  /** What its Candidates are composed of, in the order of the merges. */
  changeSets: Schema.Array(ChangeSetId),
  /** The number that it got when it came: it stands behind those with smaller ones, unless somebody moved it. */
  ticket: Schema.Finite,
  /** Where it stands: entries stand in the order of their places. Its ticket at first; a fraction between two others after a move. */
  place: Schema.Finite,
  priority: LanePriority,
  /** Where it is. */
  status: LaneEntryStatus,
  /** The newest Candidate that was composed for it; null before the first. */
  candidateId: Schema.NullOr(CandidateId),
  /** As whose wish it lands: a person's, or that of the Policy. */
  trigger: Schema.Literals(["user", "auto"]),
  /** Who had it enter. */
  enteredBy: Actor,
  /** When it entered. */
  enteredAt: Timestamp,
  /** How many predictions of it were refuted. */
  predictions: Schema.Finite,
  /** How many others were let before it: after `Limits.lanePassedMax` no more are. */
  passedBy: Schema.Finite,
  /** Why it is where it is, in words; null when nothing is to be said. */
  reason: Schema.NullOr(Schema.String),
  /** Null while it is open. */
  endedAt: Schema.NullOr(Timestamp),
  /** What became of it; null while it is open. */
  outcome: Schema.NullOr(LaneOutcome),
  /** When it moved last. */
  updatedAt: Timestamp
}).pipe(withWireNames({ status: "state" }))
export interface LaneEntry extends Schema.Schema.Type<typeof LaneEntry> {}
