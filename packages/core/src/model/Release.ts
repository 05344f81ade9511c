/** A Release: taking one generation live. It never moves the canonical line. */
import { Schema } from "effect"
import { CandidateId, ChangeId, ObjectId, ProjectId, ReleaseId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

/** Each status that a Release can have (specification, "Release status"). */
export const releaseStatuses = [
  /** It was promoted, and nothing has begun. */
  "queued",
  /** Its bundle is obtained, served and probed. */
  "building",
  /** Its probes passed. */
  "deployed",
  /** It was not built, not confirmed, or stuck. */
  "failed",
  /** Its probes failed; what was served before it is served again. */
  "smoke_failed",
  /** A newer generation was promoted. */
  "superseded"
] as const
/** One of `releaseStatuses`. */
export const ReleaseStatus = Schema.Literals(releaseStatuses)
export type ReleaseStatus = typeof ReleaseStatus.Type

/** What one probe expected, and what it got. A `gap` is no response, and never a pass. */
export const ProbeResult = Schema.Struct({
  /** What was asked, from the root of the host. */
  path: Schema.String,
  /** The status that it should have, in words. */
  expected: Schema.String,
  /** Null when there was no response. */
  status: Schema.NullOr(Schema.Finite),
  /** Only `pass` is one. */
  result: Schema.Literals(["pass", "fail", "gap"]),
  /** What came instead, for people. */
  detail: Schema.String
})
export interface ProbeResult extends Schema.Schema.Type<typeof ProbeResult> {}

/** Where its bundle came from: its own key, a commit of the same tree, a preview of it, or a new build. */
export const BundleSource = Schema.Literals(["stored", "same_tree", "preview_copy", "build"])
export type BundleSource = typeof BundleSource.Type

/** One for each generation that goes live. Its id is `rel_<project>_<generation>`. */
export const Release = Schema.Struct({
  /** `rel_<project>_<generation>`. */
  id: ReleaseId,
  /** The Project that it is of. */
  projectId: ProjectId,
  /** The generation that it takes live. */
  generation: Schema.Finite,
  /** The Change that ends with it. */
  changeId: ChangeId,
  /** The Candidate that was promoted. */
  candidateId: CandidateId,
  /** The commit that is served. */
  commit: ObjectId,
  /** The tree of that commit. */
  tree: ObjectId,
  /** Where it is. */
  status: ReleaseStatus,
  /** Why it failed or was superseded, in words; null else. */
  reason: Schema.NullOr(Schema.String),
  /**
   * Of the app's pointer that it began with: it moves no pointer that was made after that. Absent when there was no
   * app.
   */
  incarnation: Schema.optionalKey(Schema.Finite),
  /** The generation that was served before it, and that it goes back to; null for nothing. */
  replacedGeneration: Schema.NullOr(Schema.Finite),
  /** Where its bundle came from; null until it has one. */
  bundleSource: Schema.NullOr(BundleSource),
  /** What its smoke test saw; empty before it. */
  probes: Schema.Array(ProbeResult),
  /** When it was queued, with its promotion. */
  createdAt: Timestamp,
  /** When it moved last. */
  updatedAt: Timestamp
})
export interface Release extends Schema.Schema.Type<typeof Release> {}

/** Whether a release may move this incarnation of the pointer. One that began without an app may move any. */
export const isBoundTo = (release: Release, incarnation: number): boolean =>
  release.incarnation === undefined || release.incarnation === incarnation
