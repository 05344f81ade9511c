/** What the gate said of a Candidate, check by check: kept with it (specification, "Evidence"). */
import { Schema } from "effect"

export const CheckVerdict = Schema.Struct({
  checkId: Schema.String,
  required: Schema.Boolean,
  verdict: Schema.Literals(["pass", "fail", "gap"]),
  evidenceId: Schema.NullOr(Schema.String),
  summary: Schema.String
})
export interface CheckVerdict extends Schema.Schema.Type<typeof CheckVerdict> {}

export const Score = Schema.Struct({ passed: Schema.Boolean, checks: Schema.Array(CheckVerdict) })
export interface Score extends Schema.Schema.Type<typeof Score> {}
