/** What the gate said of a Candidate, check by check: kept with it (specification, "Evidence"). */
import { Schema } from "effect"

/** What the gate made of one check, and the Evidence that it stood on; null where there is none. */
export const CheckVerdict = Schema.Struct({
  checkId: Schema.String,
  required: Schema.Boolean,
  verdict: Schema.Literals(["pass", "fail", "gap"]),
  evidenceId: Schema.NullOr(Schema.String),
  summary: Schema.String
})
export interface CheckVerdict extends Schema.Schema.Type<typeof CheckVerdict> {}

/** The gate's answer for a Candidate, and how it came to it. */
export const Score = Schema.Struct({ passed: Schema.Boolean, checks: Schema.Array(CheckVerdict) })
export interface Score extends Schema.Schema.Type<typeof Score> {}
