/** Checks of what was pushed for a run that is worked outside: they are no evidence. */
import { Schema } from "effect"
import { EvidenceResult } from "./Evidence.ts"

/** The checks that were asked for of what was pushed for a run outside, the last time. What they showed is an object. */
export const PushedChecks = Schema.Struct({
  /** How often they were asked for, this time too. */
  number: Schema.Finite,
  /** The commit that they run on. */
  commit: Schema.String,
  /** `shown` when all have run, `dropped` when they could not be; null while they run. */
  outcome: Schema.NullOr(Schema.Literals(["shown", "dropped"]))
})
export interface PushedChecks extends Schema.Schema.Type<typeof PushedChecks> {}

/** What one check showed. */
export const CheckShown = Schema.Struct({
  checkId: Schema.String,
  title: Schema.String,
  /** Whether it must pass for a promotion. */
  required: Schema.Boolean,
  /** `gap`: it could not be run. */
  result: EvidenceResult,
  /** In one or a few lines. */
  summary: Schema.String,
  /** The end of what it said. */
  output: Schema.String
})
export interface CheckShown extends Schema.Schema.Type<typeof CheckShown> {}
