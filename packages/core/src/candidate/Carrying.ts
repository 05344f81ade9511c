/** What the gate asks about approvals: which of those for earlier Candidates count for the one that it judges. */
import type * as Commit from "../ledger/Commit.ts"
import type { Approval } from "../model/Approval.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Change } from "../model/Change.ts"
import type { Policy } from "../model/Policy.ts"
import type * as Time from "../primitives/Time.ts"

/** A Candidate that has passed its checks and owes an approval. */
export interface Carry {
  /** With its plan as it stands after the checks. */
  readonly candidate: Candidate
  readonly change: Change
  readonly policy: Policy
  /** Ids of the checks whose base's form was not seen to hold. */
  readonly broken: ReadonlyArray<string>
  readonly now: Time.Timestamp
}

/** What is carried over. */
export interface Carried {
  /** Rows for this Candidate's exact tree. */
  readonly approvals: ReadonlyArray<Approval>
  /** That what they are derived from is as it was read. */
  readonly expects: ReadonlyArray<Commit.Expectation>
  /** How many more people must grant; null where nothing is carried over. */
  readonly owed: number | null
}

/** Nothing is carried over. */
export const noneCarried: Carried = { approvals: [], expects: [], owed: null }
