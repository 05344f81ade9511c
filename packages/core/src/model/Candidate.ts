/** A Candidate: ChangeSets composed on one canonical base, to be verified and perhaps promoted. */
import { Schema, Struct } from "effect"
import { CandidateId, ChangeId, ChangeSetId, ObjectId, ProjectId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"
import { withWireNames } from "../primitives/WireNames.ts"
import { DerivedFile } from "./DerivedFile.ts"
import { Overlap } from "./Overlap.ts"
import { Plan } from "./Plan.ts"
import { Score } from "./Score.ts"

/** Each status that a Candidate can have (specification, "Candidate status"). */
export const candidateStatuses = [
  /** Its ChangeSets are being merged on its base. */
  "composing",
  /** Said in answers of calls only: stored rows go on to `verifying` at once. */
  "composed",
  /** It has its commit and its plan; its checks run. */
  "verifying",
  /** Every required check passed: it may be promoted. */
  "verified",
  /** It could not be merged, a required check failed or has a gap, or a person refused it. */
  "rejected",
  /** Its tree became a generation. */
  "promoted",
  /** Canonical moved on since its base. */
  "stale",
  /** It was composed anew too often, and canonical moved on each time. */
  "blocked"
] as const
/** One of `candidateStatuses`. */
export const CandidateStatus = Schema.Literals(candidateStatuses)
export type CandidateStatus = typeof CandidateStatus.Type

/** Why a Candidate was rejected. Programs decide by it, people read `reason`. */
export const RejectionCode = Schema.Literals([
  /** ChangeSets and the base, or two of them, change the same lines. */
  "merge_conflict",
  /** The composed tree would hold a path that no tree may. */
  "invalid_path",
  "tree_too_large",
  /** The composed tree's pawl.json cannot be read. */
  "invalid_definitions",
  /** package.json asks for packages that there are not, or that do not fit each other. */
  "packages_refused",
  /** A rollback that is not what its Change says, or whose base moved on. */
  "rollback_refused",
  /** The month's time in sandboxes was used up, or kept for others: it may be asked for again. */
  "sandbox_budget_used_up",
  "checks_failed",
  /** No required check failed, and at least one could not run: it may be asked for again. */
  "checks_could_not_run",
  "no_checks",
  /** Its verification died, and the dead letter was dismissed: it may be asked for again. */
  "verification_given_up",
  "rejected_by_person",
  "change_cancelled"
])
export type RejectionCode = typeof RejectionCode.Type

const fields = Schema.Struct({
  /** `cand_` and 24 hex digits of a digest: of its base, its ChangeSets and its attempt. */
  id: CandidateId,
  /** The Project that it is of. */
  projectId: ProjectId,
  /** The Change that it is composed for. */
  changeId: ChangeId,
  /** The id of the first Candidate of the line of recompositions. */
  lineage: CandidateId,
  /** How many times its line was composed anew before it. */
  recomposition: Schema.Finite,
  /** 1, or higher when a Candidate that was rejected only for gaps was asked for again. */
  attempt: Schema.Finite,
  /** The generation that it was composed on, and the only one that it can be promoted on. */
  baseGeneration: Schema.Finite,
  /** The commit of that generation: the first parent of the merges. */
  baseCommit: ObjectId,
  /** The tree of that commit. */
  baseTree: ObjectId,
  /** What it is composed of, in the order of the merges. */
  changeSets: Schema.Array(ChangeSetId),
  /** What was composed; null until then. */
  commit: Schema.NullOr(ObjectId),
  /** The tree of that commit: what is checked, approved and promoted. */
  tree: Schema.NullOr(ObjectId),
  /** Files of that tree that no ChangeSet wrote: locks that were made or merged for them. Not there for none. */
  derived: Schema.optionalKey(Schema.Array(DerivedFile)),
  /** Where it is. */
  status: CandidateStatus,
  /** Why it was rejected or went stale, in words; null else. */
  reason: Schema.NullOr(Schema.String),
  /** Of a rejected one. Not there in rows of earlier versions: `rejectionOf` of `StoredReasons` knows those too. */
  rejection: Schema.optionalKey(RejectionCode),
  /** Paths that could not be merged, when that is why it was rejected: the first of them, and `reason` counts the rest. */
  conflicts: Schema.Array(Schema.String),
  /** Of one that could not be composed: what others write too. Of each other one it stands in the plan. */
  overlaps: Schema.optionalKey(Schema.Array(Overlap)),
  /** Which checks it owes, its risk, and whether it owes an approval; null until it is composed. */
  plan: Schema.NullOr(Plan),
  /** What the gate said; null until then. */
  score: Schema.NullOr(Score),
  /** When its fork was swept; null while it is kept. */
  forkDeletedAt: Schema.NullOr(Timestamp),
  /** When it was asked for. */
  createdAt: Timestamp,
  /** When it moved last. */
  updatedAt: Timestamp
})

const wireNames = {
  baseGeneration: "base_generation",
  baseCommit: "base_commit",
  baseTree: "base_tree",
  plan: "plan_json",
  score: "score_json",
  forkDeletedAt: "fork_deleted_at"
} as const

/** Its id is a digest of base, ChangeSets and attempt, so that asking for the same one twice makes one. */
export const Candidate = fields.pipe(withWireNames(wireNames))
export interface Candidate extends Schema.Schema.Type<typeof Candidate> {}

/** What is shown of one: its code is for programs inside, and `reason` says it. */
export const CandidateView = fields.mapFields(Struct.omit(["rejection"])).pipe(withWireNames(wireNames))
