/** A flake: a check that failed and passed on one tree. A fact, written with the pass; nothing changes it. */
import { Schema } from "effect"
import { CandidateId, ChangeId, EvidenceId, ObjectId, ProjectId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

/** That a check said two things of the same tree, in two sandboxes. */
export const Flake = Schema.Struct({
  /** The Evidence that passed, and the key. */
  passId: EvidenceId,
  /** The Evidence that failed: on the same tree, before. */
  failId: EvidenceId,
  /** Where it was seen. */
  projectId: ProjectId,
  /** Of whose verification it was. */
  changeId: ChangeId,
  candidateId: CandidateId,
  /** Of the plan; with `@base` for the base's form of its files. */
  checkId: Schema.String,
  /** The tree of both. */
  tree: ObjectId,
  /** When it passed. */
  at: Timestamp
})
export interface Flake extends Schema.Schema.Type<typeof Flake> {}
