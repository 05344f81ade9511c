/** What a model said of a Candidate: advice for people, never a gate. */
import { Schema } from "effect"
import { CandidateId, ChangeId, ProjectId, ReviewId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

/** Whether the model saw something that people should look at. */
export const Verdict = Schema.Literals(["fine", "doubtful"])
export type Verdict = typeof Verdict.Type

/** One review of one Candidate (decisions, "Agents"). Written once. */
export const Review = Schema.Struct({
  /** `rev_` and the 24 hex digits of its Candidate: each has one. */
  id: ReviewId,
  /** The Project that it is of. */
  projectId: ProjectId,
  /** The Candidate that was looked at. */
  candidateId: CandidateId,
  /** The Change of that Candidate: it paid. */
  changeId: ChangeId,
  /** What it came to. */
  verdict: Verdict,
  /** Why, in the words of the model; at most `Limits.reviewLength` characters. */
  text: Schema.String,
  /** When it was given. */
  createdAt: Timestamp
})
export interface Review extends Schema.Schema.Type<typeof Review> {}
