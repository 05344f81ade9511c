/** A Candidate: ChangeSets composed on one canonical base, to be verified and perhaps promoted. */
import { Schema } from "effect"
import { CandidateId, ChangeId, ChangeSetId, ObjectId, ProjectId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"
import { Plan } from "./Plan.ts"
import { Score } from "./Score.ts"

export const candidateStatuses = [
  "composing",
  "composed",
  "verifying",
  "verified",
  "rejected",
  "promoted",
  "stale",
  "blocked"
] as const
export const CandidateStatus = Schema.Literals(candidateStatuses)
export type CandidateStatus = typeof CandidateStatus.Type

export const Candidate = Schema.Struct({
  id: CandidateId,
  projectId: ProjectId,
  changeId: ChangeId,
  /** The id of the first Candidate of the line of recompositions. */
  lineage: CandidateId,
  recomposition: Schema.Finite,
  /** 1, or higher when a Candidate that was rejected only for gaps was asked for again. */
  attempt: Schema.Finite,
  base_generation: Schema.Finite,
  base_commit: ObjectId,
  base_tree: ObjectId,
  changeSets: Schema.Array(ChangeSetId),
  commit: Schema.NullOr(ObjectId),
  tree: Schema.NullOr(ObjectId),
  status: CandidateStatus,
  reason: Schema.NullOr(Schema.String),
  /** Paths that could not be merged, when that is why it was rejected: the first of them, and `reason` counts the rest. */
  conflicts: Schema.Array(Schema.String),
  plan_json: Schema.NullOr(Plan),
  score_json: Schema.NullOr(Score),
  fork_deleted_at: Schema.NullOr(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp
})
export interface Candidate extends Schema.Schema.Type<typeof Candidate> {}
