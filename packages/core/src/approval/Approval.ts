/** One decision of a person on one Candidate, bound to its exact composed tree. */
import { Schema } from "effect"
import { ApprovalId, CandidateId, ChangeId, ObjectId, ProjectId } from "../primitives/Ids.ts"
import type { Actor } from "../access/Actor.ts"
import { Timestamp } from "../primitives/Time.ts"

export const Decision = Schema.Literal("granted", "rejected")
export type Decision = typeof Decision.Type

export const Approval = Schema.Struct({
  id: ApprovalId,
  projectId: ProjectId,
  candidateId: CandidateId,
  changeId: ChangeId,
  tree: ObjectId,
  decision: Decision,
  /** The authenticated member from the session. */
  approver: Schema.String,
  decidedAt: Timestamp
})
export interface Approval extends Schema.Schema.Type<typeof Approval> {}

/** Whether a decision counts under a Policy: what the author of the Change granted does not when the Policy forbids it. */
export const isValid = (
  approval: Approval,
  change: { readonly createdBy: Actor },
  policy: { readonly allowSelfApproval: boolean }
): boolean => approval.decision === "rejected" || policy.allowSelfApproval || approval.approver !== change.createdBy.id
