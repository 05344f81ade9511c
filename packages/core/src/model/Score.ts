/** What the gate said of a Candidate, check by check: kept with it (specification, "Evidence"). */
import { Schema } from "effect"

/** What the gate made of one check. */
export const CheckVerdict = Schema.Struct({
  /** Of the plan. */
  checkId: Schema.String,
  /** Whether the gate needed it: a waiver in force lifts that. */
  required: Schema.Boolean,
  /** What it came to. A check without evidence is a `gap`. */
  verdict: Schema.Literals(["pass", "fail", "gap"]),
  /** The row that counted; null where there is none. */
  evidenceId: Schema.NullOr(Schema.String),
  /** What that row says, for people. */
  summary: Schema.String,
  /** It failed and then passed on the same tree: the row that counted is that of its retry. Not there otherwise. */
  flaky: Schema.optionalKey(Schema.Boolean)
})
export interface CheckVerdict extends Schema.Schema.Type<typeof CheckVerdict> {}

/** The gate's answer for a Candidate, and how it came to it. */
export const Score = Schema.Struct({
  /** Whether every required check passed, and the plan had a check at all. */
  passed: Schema.Boolean,
  /** In the order of the plan. */
  checks: Schema.Array(CheckVerdict),
  /** Whether one of them was flaky. Not there where none was. */
  flaky: Schema.optionalKey(Schema.Boolean)
})
export interface Score extends Schema.Schema.Type<typeof Score> {}
