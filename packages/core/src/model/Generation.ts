/** A generation: one step of the canonical line. The append-only history is the compare-and-swap. */
import { Schema } from "effect"
import { ApprovalId, CandidateId, ChangeId, EvidenceId, ObjectId, ProjectId, Sha256 } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"
import { Actor } from "./Actor.ts"

/** How a generation came to be: the first source, a person's promotion, one by policy, or a rollback. */
export const Trigger = Schema.Literals(["seed", "user", "auto", "rollback"])
export type Trigger = typeof Trigger.Type

/** Stored once and never changed. Generation 0 is the seed; it has no Candidate and no Change. */
export const Generation = Schema.Struct({
  /** The Project that it is of. */
  projectId: ProjectId,
  /** Its number, from 0 on. They are dense and only advance. */
  generation: Schema.Finite,
  /** The canonical commit. */
  commit: ObjectId,
  /** The tree of that commit. */
  tree: ObjectId,
  /** The Candidate that was promoted; null for S0. */
  candidateId: Schema.NullOr(CandidateId),
  /** The Change of that Candidate; null for S0. */
  changeId: Schema.NullOr(ChangeId),
  /** Who promoted it, or seeded it. */
  actor: Actor,
  /** How it came to be. */
  trigger: Trigger,
  /** The Policy under which it was promoted. */
  policyVersion: Schema.Finite,
  /** The evidence that its required checks stood on. */
  evidenceIds: Schema.Array(EvidenceId),
  /** The last one of `approvalIds`; null where none was owed. */
  approvalId: Schema.NullOr(ApprovalId),
  /** All that were granted and counted, oldest first. Rows of older versions of Pawl do not have it. */
  approvalIds: Schema.optionalKey(Schema.Array(ApprovalId)),
  /** When it became canonical. */
  promotedAt: Timestamp,
  /** SHA-256 over the lines `<sha256>  <path>` of all its files, sorted. Rows of older versions of Pawl do not have it. */
  dirHash: Schema.optionalKey(Sha256)
})
export interface Generation extends Schema.Schema.Type<typeof Generation> {}

/** The approvals that a promotion stood on, oldest first. */
export const approvalIdsOf = ({ approvalId, approvalIds }: Generation): ReadonlyArray<string> =>
  approvalIds ?? (approvalId === null ? [] : [approvalId])

/** The head of a canonical line: a moving pointer beside the history, so that the head is one read. */
export const Head = Schema.Struct({
  /** The Project, and the key. */
  projectId: ProjectId,
  /** The newest generation. */
  generation: Schema.Finite,
  /** Its commit. */
  commit: ObjectId,
  /** Its tree. */
  tree: ObjectId,
  /** The newest generation whose commit canonical main holds; -1 while there is no main. */
  syncedGeneration: Schema.Finite
})
export interface Head extends Schema.Schema.Type<typeof Head> {}
