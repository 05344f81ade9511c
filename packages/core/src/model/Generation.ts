/** A generation: one step of the canonical line. The append-only history is the compare-and-swap. */
import { Schema } from "effect"
import { ApprovalId, CandidateId, ChangeId, EvidenceId, ObjectId, ProjectId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"
import { Actor } from "./Actor.ts"

/** How a generation came to be: the first source, a person's promotion, one by policy, or a rollback. */
export const Trigger = Schema.Literals(["seed", "user", "auto", "rollback"])
export type Trigger = typeof Trigger.Type

/** Stored once and never changed. Generation 0 is the seed; it has no Candidate and no Change. */
export const Generation = Schema.Struct({
  projectId: ProjectId,
  generation: Schema.Finite,
  commit: ObjectId,
  tree: ObjectId,
  candidateId: Schema.NullOr(CandidateId),
  changeId: Schema.NullOr(ChangeId),
  actor: Actor,
  trigger: Trigger,
  policyVersion: Schema.Finite,
  evidenceIds: Schema.Array(EvidenceId),
  /** The last one of `approvalIds`. */
  approvalId: Schema.NullOr(ApprovalId),
  /** All that were granted and counted, oldest first. Rows of older versions of Pawl do not have it. */
  approvalIds: Schema.optionalKey(Schema.Array(ApprovalId)),
  promotedAt: Timestamp
})
export interface Generation extends Schema.Schema.Type<typeof Generation> {}

/** The approvals that a promotion stood on, oldest first. */
export const approvalIdsOf = ({ approvalId, approvalIds }: Generation): ReadonlyArray<string> =>
  approvalIds ?? (approvalId === null ? [] : [approvalId])

/** The head of a canonical line: a moving pointer beside the history, so that the head is one read. */
export const Head = Schema.Struct({
  projectId: ProjectId,
  generation: Schema.Finite,
  commit: ObjectId,
  tree: ObjectId,
  /** The newest generation whose commit canonical main holds; -1 while there is no main. */
  syncedGeneration: Schema.Finite
})
export interface Head extends Schema.Schema.Type<typeof Head> {}
