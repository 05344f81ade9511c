/**
 * The gate: whether evidence rows satisfy a plan. Only `checked_supported` with `pass` satisfies a
 * required check, and only for the very commit and tree that were composed (specification, "Evidence").
 */
import { Schema } from "effect"
import type { Check, Plan } from "../candidate/Plan.ts"
import type { Timestamp } from "../primitives/Time.ts"
import type { Evidence } from "./Evidence.ts"

export const CheckVerdict = Schema.Struct({
  checkId: Schema.String,
  required: Schema.Boolean,
  verdict: Schema.Literal("pass", "fail", "gap"),
  evidenceId: Schema.NullOr(Schema.String),
  summary: Schema.String
})
export interface CheckVerdict extends Schema.Schema.Type<typeof CheckVerdict> {}

export const Score = Schema.Struct({ passed: Schema.Boolean, checks: Schema.Array(CheckVerdict) })
export interface Score extends Schema.Schema.Type<typeof Score> {}

/** A waiver holds until its date, whenever the plan was made. */
const isWaived = (check: Check, now: Timestamp): boolean => check.waived !== undefined && check.waived.until > now

const satisfies = (row: Evidence): boolean => row.status === "checked_supported" && row.result === "pass"

/** Judges a plan by evidence rows alone. The last row of a check counts; a check without a row is a gap. */
export const judge = (
  plan: Plan,
  composed: { readonly commit: string; readonly tree: string },
  rows: ReadonlyArray<Evidence>,
  now: Timestamp
): Score => {
  const checks = plan.checks.map((check): CheckVerdict => {
    const row = rows.findLast(
      (each) =>
        each.checkId === check.id &&
        each.subject.candidateId !== undefined &&
        each.commit === composed.commit &&
        each.tree === composed.tree
    )
    return {
      checkId: check.id,
      required: check.required && !isWaived(check, now),
      verdict: row === undefined ? "gap" : satisfies(row) ? "pass" : row.result === "fail" ? "fail" : "gap",
      evidenceId: row?.id ?? null,
      summary: row?.summary ?? "no evidence"
    }
  })
  return { passed: checks.length > 0 && checks.every((check) => !check.required || check.verdict === "pass"), checks }
}
