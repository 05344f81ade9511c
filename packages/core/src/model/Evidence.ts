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
  /** The packages could not be had: the registry, or this machine's store of them, was away. */
  "registry_away",
  /** What is to be compared is not there. */
  "commit_missing"
])
export type GapCode = typeof GapCode.Type

/** What ran the check, and how it was kept apart from the machine. */
export const Runner = Schema.Struct({
  /** `bubblewrap`, `unshare`, `builder`, `router`, or `none`. */
  isolation: Schema.String,
  /** Of what ran it; empty where nothing ran. */
  version: Schema.String,
  /** The guarantees that were in force, by name. */
  guarantees: Schema.Array(Schema.String)
})
export interface Runner extends Schema.Schema.Type<typeof Runner> {}

/** Of a Candidate's check or a release's probes, on exactly this commit and tree. */
export const Evidence = Schema.Struct({
  /** `evd_<ULID>`. */
  id: EvidenceId,
  /** The Project of its subject. */
  projectId: ProjectId,
  /** What was checked: a Candidate or a release, one of the two. */
  subject: Schema.Struct({ candidateId: Schema.optionalKey(CandidateId), releaseId: Schema.optionalKey(ReleaseId) }),
  /** Of the plan; `release-s<generation>` for a release, with `-injected` for an injected failure. */
  checkId: Schema.String,
  /** Only `checked_supported` together with `pass` satisfies a required check (specification, "Evidence"). */
  status: EvidenceStatus,
  /** What the gate counts. */
  result: EvidenceResult,
  /** The commit that was checked. */
  commit: ObjectId,
  /** The tree of that commit. */
  tree: ObjectId,
  /** Key of the object that holds the check's whole output; null for a release, whose probes are in its row. */
  outputKey: Schema.NullOr(Schema.String),
  /** SHA-256 of that output; null without one. */
  outputDigest: Schema.NullOr(Sha256),
  /** When the first try began. */
  startedAt: Timestamp,
  /** When the last try ended. */
  finishedAt: Timestamp,
  /** What ran it. */
  runner: Runner,
  /** One or a few lines for a person. */
  summary: Schema.String,
  /** Of a gap. Not there in rows of earlier versions: `gapOf` of `StoredReasons` knows those too. */
  gap: Schema.optionalKey(GapCode),
  /** Of check `build`: the SHA-256 of the bundle.json that it stored. */
  bundleDigest: Schema.optionalKey(Sha256),
  /** Of check `build`: the SHA-256 of the list of packages that it stored. Not there where there is none. */
  sbom: Schema.optionalKey(Sha256),
  /** Of check `build`: the first of the changed files that became modules of the bundle, where that decides the risk. */
  inputs: Schema.optionalKey(Schema.Array(Schema.String)),
  /**
   * SHA-256 of what was asked: kind, command, time, environment and limits. Not there in rows of earlier versions, as are
   * the next ones.
   */
  checkDigest: Schema.optionalKey(Sha256),
  /** SHA-256 of what ran it: the isolation, and the tools that it gives. Not there where that cannot be told. */
  runnerDigest: Schema.optionalKey(Sha256),
  /** Of a check with declared inputs, where the Policy lets them count: SHA-256 of both digests and of each file that it saw. */
  inputsDigest: Schema.optionalKey(Sha256),
  /** The row of another Candidate that this one repeats: nothing was run for it, and its output is that one's. */
  reuses: Schema.optionalKey(EvidenceId),
  /** The Policy's waiver that was in force for this check. */
  waived: Schema.optionalKey(Waiver),
  /**
   * Which try of the check it was, from 1 on. One that could not run is tried again, at most `Limits.checkGapAttempts`
   * times; the retry of a failure counts on from it.
   */
  attempt: Schema.Finite,
  /** Of the retry of a check that failed: the row of that failure, which stays. The Policy's `flakeRetries` allows one. */
  retryOf: Schema.optionalKey(EvidenceId)
})
export interface Evidence extends Schema.Schema.Type<typeof Evidence> {}
