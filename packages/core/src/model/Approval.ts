/** One decision of a person on one Candidate, bound to its exact composed tree. A Candidate has one for each person who decided. */
import { Schema } from "effect"
import { ApprovalId, CandidateId, ChangeId, ObjectId, ProjectId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

/** What a person said of a Candidate. */
export const Decision = Schema.Literals(["granted", "rejected"])
export type Decision = typeof Decision.Type

/** One decision, never changed once it is stored. `tree` is the composed tree that was decided on. */
export const Approval = Schema.Struct({
  id: ApprovalId,
  projectId: ProjectId,
  candidateId: CandidateId,
  changeId: ChangeId,
  tree: ObjectId,
  decision: Decision,
  /** The authenticated member from the session. */
  approver: Schema.String,
  decidedAt: Timestamp,
  /** Which decision on its Candidate it is, from 2 on; the first has none. */
  nth: Schema.optionalKey(Schema.Finite),
  /** Ids of the checks whose base's form was not seen to hold when it was decided; absent for none. */
  brokenPromises: Schema.optionalKey(Schema.Array(Schema.String))
})
export interface Approval extends Schema.Schema.Type<typeof Approval> {}

/** The key of a Candidate's nth decision, from 1 on. They are dense: where one is missing, there is none behind it. */
export const approvalKey = (candidateId: string, nth: number): string =>
  nth === 1 ? candidateId : `${candidateId}/${nth}`
