/** One decision of a person on one Candidate, bound to its exact composed tree. A Candidate has one for each person who decided. */
import { Schema } from "effect"
import { ApprovalId, CandidateId, ChangeId, ObjectId, ProjectId, Sha256 } from "../primitives/Ids.ts"
import { Assertion } from "./Approver.ts"
import { Timestamp } from "../primitives/Time.ts"

/** What a person said of a Candidate. */
export const Decision = Schema.Literals(["granted", "rejected"])
export type Decision = typeof Decision.Type

/** One decision, never changed once it is stored (specification, "Approval"; decisions, "Records"). */
export const Approval = Schema.Struct({
  /** `apr_<ULID>`, made when it was decided. */
  id: ApprovalId,
  /** The Project of the Candidate: an approval is stored in its scope. */
  projectId: ProjectId,
  /** What was decided on. With `nth` it is the key: `approvalKey`. */
  candidateId: CandidateId,
  /** The Change of that Candidate. */
  changeId: ChangeId,
  /** The composed tree that was decided on. It counts for this tree alone. */
  tree: ObjectId,
  /** One `rejected` is final; `granted` counts until its approver has left. */
  decision: Decision,
  /** Id of the user: the authenticated member from the session, never from the request (specification, "Approval"). */
  approver: Schema.String,
  /** When the decision was committed. */
  decidedAt: Timestamp,
  /** What a signed decision was bound to beside the tree: `dirHash` of the Candidate. There with `passkey`. */
  source: Schema.optionalKey(Sha256),
  /** As `source`: SHA-256 of the canonical JSON of the verification plan. */
  plan: Schema.optionalKey(Sha256),
  /** The signature of the approver's passkey; its challenge is the SHA-256 of `approvalText`. */
  passkey: Schema.optionalKey(Assertion),
  /** Which decision on its Candidate it is, from 2 on; the first has none. */
  nth: Schema.optionalKey(Schema.Finite),
  /** Ids of the checks whose base's form was not seen to hold when it was decided; absent for none. */
  brokenPromises: Schema.optionalKey(Schema.Array(Schema.String)),
  /** What the approver said beside it, in their words; 1 to `Limits.approvalNoteLength` characters. */
  note: Schema.optionalKey(Schema.String),
  /** Of one that was carried over: the approval that its approver gave to an earlier Candidate of the same ChangeSets. */
  derivedFrom: Schema.optionalKey(ApprovalId),
  /** As `derivedFrom`: the digest of what both Candidates do to their bases, file by file (`Candidate.diff`). */
  basis: Schema.optionalKey(Sha256)
})
export interface Approval extends Schema.Schema.Type<typeof Approval> {}

/** The key of a Candidate's nth decision, from 1 on. They are dense: where one is missing, there is none behind it. */
export const approvalKey = (candidateId: string, nth: number): string =>
  nth === 1 ? candidateId : `${candidateId}/${nth}`
