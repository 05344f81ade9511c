/** Evidence: what one executable check left behind. Rows are never changed. */
import { Schema } from "effect"
import { CandidateId, EvidenceId, ObjectId, ProjectId, ReleaseId, Sha256 } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"
import { Waiver } from "./Plan.ts"

/** Whether the check ran, and whether it bore out what it claims. */
export const EvidenceStatus = Schema.Literals(["checked_supported", "checked_unsupported", "not_checked"])
export type EvidenceStatus = typeof EvidenceStatus.Type
/** What the gate counts. A `gap` could not be checked, and never counts as a pass. */
export const EvidenceResult = Schema.Literals(["pass", "fail", "gap"])
export type EvidenceResult = typeof EvidenceResult.Type

/** Why a check could not run, or did not come to an end. Programs decide by it, people read `summary`. */
export const GapCode = Schema.Literals([
  /** The month's time in sandboxes was used up, or kept for others. */
  "sandbox_budget_used_up",
  /** The builds of the day were used up, or kept for others. */
  "builds_used_up",
  /** The source does not define the check. */
  "check_undefined",
  "command_not_found",
  "timed_out",
  "out_of_memory",
  "killed",
  /** No sandbox here gives what checks need. */
  "isolation_missing",
  "sandbox_away",
  "bundler_crashed",
  "builder_away",
  /** What is to be compared is not there. */
  "commit_missing"
])
export type GapCode = typeof GapCode.Type

/** What ran the check, and how it was kept apart from the machine. */
export const Runner = Schema.Struct({
  /** `bubblewrap`, `unshare`, `builder`, `router`, or `none`. */
  isolation: Schema.String,
  version: Schema.String,
  /** The guarantees that were in force, by name. */
  guarantees: Schema.Array(Schema.String)
})
export interface Runner extends Schema.Schema.Type<typeof Runner> {}

/** Of a Candidate's check or a release's probes, on exactly this commit and tree. */
export const Evidence = Schema.Struct({
  id: EvidenceId,
  projectId: ProjectId,
  subject: Schema.Struct({ candidateId: Schema.optionalKey(CandidateId), releaseId: Schema.optionalKey(ReleaseId) }),
  checkId: Schema.String,
  status: EvidenceStatus,
  result: EvidenceResult,
  commit: ObjectId,
  tree: ObjectId,
  /** The object that holds the check's whole output, and its SHA-256. */
  outputKey: Schema.NullOr(Schema.String),
  outputDigest: Schema.NullOr(Sha256),
  startedAt: Timestamp,
  finishedAt: Timestamp,
  runner: Runner,
  /** One or a few lines for a person. */
  summary: Schema.String,
  /** Of a gap. Not there in rows of earlier versions: `gapOf` of `StoredReasons` knows those too. */
  gap: Schema.optionalKey(GapCode),
  /** Of check `build`: the SHA-256 of the bundle.json that it stored. */
  bundleDigest: Schema.optionalKey(Sha256),
  /** Of check `build`: the first of the changed files that became modules of the bundle, where that decides the risk. */
  inputs: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The Policy's waiver that was in force for this check. */
  waived: Schema.optionalKey(Waiver),
  /** Which try this was; a check that could not run is tried again. */
  attempt: Schema.Finite
})
export interface Evidence extends Schema.Schema.Type<typeof Evidence> {}
