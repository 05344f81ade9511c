/** A Candidate: ChangeSets composed on one canonical base, to be verified and perhaps promoted. */
import { Effect, Schema, Struct } from "effect"
import { CandidateId, ChangeId, ChangeSetId, ObjectId, ProjectId, Sha256 } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"
import { withWireNames } from "../primitives/WireNames.ts"
import { DerivedFile } from "./DerivedFile.ts"
import { Made } from "./Made.ts"
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
  /** Canonical moved on since its base, or will not become it. */
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

/** What keeps a Candidate where it is, and goes on by itself. */
export const CandidateWait = Schema.Struct({
  /** The check that it is about; null when the whole of its verification waits. */
  checkId: Schema.NullOr(Schema.String),
  /** What ran and did not come to its end, or what is away. */
  reason: Schema.String,
  /** Of a check that could not run: which try showed nothing, and of how many. Null while it waits for what is away. */
  attempt: Schema.NullOr(Schema.Finite),
  attempts: Schema.NullOr(Schema.Finite),
  /** How long that try took; null while it waits for what is away. */
  tookMs: Schema.NullOr(Schema.Finite),
  /** When it came to nothing. */
  at: Timestamp,
  /** When it is tried next; of a check, when that try began. */
  again: Timestamp
})
export interface CandidateWait extends Schema.Schema.Type<typeof CandidateWait> {}

/** What of another Change a prediction fell for. */
export const FellCode = Schema.Literals([
  /** It failed, on canonical or on a prediction of its own. */
  "failed",
  /** A check of it failed, and ran once more. */
  "retried",
  "cancelled",
  /** Somebody took it out of the lane. */
  "withdrawn",
  /** It left for newer work. */
  "new_work",
  /** An approver refused it. */
  "refused",
  /** It stood aside for people. */
  "aside",
  /** It was put before this one. */
  "overtaken",
  /** It was put behind this one. */
  "moved",
  /** A person promoted it, past the line. */
  "promoted_past",
  /** It is a rollback that became canonical. */
  "rolled_back",
  /** It was made anew itself, and nobody said why. */
  "anew",
  /** What was composed of it was gone. */
  "gone",
  /** This one could not be merged with it. */
  "conflict"
])
export type FellCode = typeof FellCode.Type

/** For whom a prediction fell. */
export const FellFor = Schema.Struct({
  code: FellCode,
  /** Whose doing it was: not always that of the one that it was made on, which may have fallen for another itself. */
  changeId: ChangeId,
  candidateId: Schema.optionalKey(CandidateId)
})
export interface FellFor extends Schema.Schema.Type<typeof FellFor> {}

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
  /** The Candidate that its base will be when that lands; null when its base was canonical, as of all of earlier versions. */
  ahead: Schema.NullOr(CandidateId).pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(null))),
  /** Of one that was made for an entry of the lane: how many came before it for that entry. Of any other not there. */
  prediction: Schema.optionalKey(Schema.Finite),
  /** Of a prediction that fell: for whom. Not there for one that an earlier version refuted. */
  fell: Schema.optionalKey(FellFor),
  /** What it is composed of, in the order of the merges. */
  changeSets: Schema.Array(ChangeSetId),
  /** What was composed; null until then. */
  commit: Schema.NullOr(ObjectId),
  /** The tree of that commit: what is checked, approved and promoted. */
  tree: Schema.NullOr(ObjectId),
  /** Files of that tree that no ChangeSet wrote: locks that were made or merged for them. Not there for none. */
  derived: Schema.optionalKey(Schema.Array(DerivedFile)),
  /** The digest of that tree's files (`dirHash`). Not there for one that an earlier version composed. */
  dirHash: Schema.optionalKey(Sha256),
  /**
   * The digest of what it does to its base, file by file: blob and mode before and after. Only where the Policy carries
   * approvals over.
   */
  diff: Schema.optionalKey(Sha256),
  /** Who made its ChangeSets. Not there for one that an earlier version composed. */
  made: Schema.optionalKey(Schema.Array(Made)),
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
  /** While it is composed and checked: what could not be done yet, at most one of a check. Shown by `why` alone. */
  waits: Schema.optionalKey(Schema.Array(CandidateWait)),
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

/**
 * What is shown of one: its code is for programs inside, and `reason` says it; what it waits for, `why` says; who made
 * it, and of which files, its statement; which prediction it is and for whom it fell, the lane's entry.
 */
export const CandidateView = fields
  .mapFields(Struct.omit(["rejection", "waits", "dirHash", "diff", "made", "prediction", "fell"]))
  .mapFields(
    Struct.assign({
      /**
       * Changes whose work it and its preview hold too, and that have not landed: from the one that it was made on down to
       * canonical. Not there for one that holds its own alone.
       */
      on: Schema.optionalKey(Schema.Array(ChangeId))
    })
  )
  .pipe(withWireNames(wireNames))
