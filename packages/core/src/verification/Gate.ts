/**
 * The gate: whether evidence rows satisfy a plan. Only `checked_supported` with `pass` satisfies a
 * required check, and only for the very commit and tree that were composed (specification, "Evidence").
 */
import type { BaseForm, Check, Plan } from "../model/Plan.ts"
import type { RiskTier } from "../model/Change.ts"
import type { Timestamp } from "../primitives/Time.ts"
import type { Evidence } from "../model/Evidence.ts"
import type { CheckVerdict, Score } from "../model/Score.ts"

/** A waiver holds until its date, whenever the plan was made. */
const isWaived = (check: Check, now: Timestamp): boolean => check.waived !== undefined && check.waived.until > now

const satisfies = (row: Evidence): boolean => row.status === "checked_supported" && row.result === "pass"

interface Composition {
  readonly commit: string
  readonly tree: string
}

/** The rows of a check, oldest first: of that very commit and tree. */
const rowsOf = (check: Check, composed: Composition, rows: ReadonlyArray<Evidence>): ReadonlyArray<Evidence> =>
  rows.filter(
    (each) =>
      each.checkId === check.id &&
      each.subject.candidateId !== undefined &&
      each.commit === composed.commit &&
      each.tree === composed.tree
  )

/** The row that counts of a check. */
interface Counted {
  readonly row: Evidence
  /** Whether it is the pass of a retry: the check failed and passed on one tree. */
  readonly flaky: boolean
}

/**
 * The row that counts of a check: the last one, but a failure stands whatever comes after it. Only the one retry that the
 * plan allows may take its place, and only when it passed on the tree that the failure is of.
 */
const countedOf = (plan: Plan, check: Check, composed: Composition, all: ReadonlyArray<Evidence>): Counted | null => {
  const rows = rowsOf(check, composed, all)
  const failures = rows.filter(({ result }) => result === "fail")
  const failure = failures.at(-1)
  // The first one: another would be a second.
  const retry = rows.find(({ retryOf }) => retryOf !== undefined)
  if (failure === undefined) {
    // A retry of nothing that failed here shows nothing.
    const last = rows.findLast(({ retryOf }) => retryOf === undefined)
    return last === undefined ? null : { row: last, flaky: false }
  }
  const isRetried =
    plan.flakeRetries === 1 &&
    failures.length === 1 &&
    retry !== undefined &&
    retry === rows.at(-1) &&
    retry.retryOf === failure.id &&
    satisfies(retry)
  return isRetried ? { row: retry, flaky: true } : { row: failure, flaky: false }
}

/**
 * Judges a plan by evidence rows alone. The last row of a check counts, a failure before any that is not its retry; a
 * check without a row is a gap.
 */
export const judge = (plan: Plan, composed: Composition, rows: ReadonlyArray<Evidence>, now: Timestamp): Score => {
  const checks = plan.checks.map((check): CheckVerdict => {
    const counted = countedOf(plan, check, composed, rows)
    const row = counted?.row
    return {
      checkId: check.id,
      required: check.required && !isWaived(check, now),
      verdict: row === undefined ? "gap" : satisfies(row) ? "pass" : row.result === "fail" ? "fail" : "gap",
      evidenceId: row?.id ?? null,
      summary: row?.summary ?? "no evidence",
      ...(counted?.flaky === true ? { flaky: true } : {})
    }
  })
  return {
    passed: checks.length > 0 && checks.every((check) => !check.required || check.verdict === "pass"),
    checks,
    ...(checks.some(({ flaky }) => flaky === true) ? { flaky: true } : {})
  }
}

/** A check that was not seen to pass with the base's form of its files. */
export interface BrokenPromise extends BaseForm {
  readonly checkId: string
  readonly summary: string
}

/**
 * The checks with `@base` that were not seen to pass, in the order of the plan: waived, required or neither, they are
 * told.
 */
export const brokenPromises = (
  plan: Plan,
  composed: Composition,
  rows: ReadonlyArray<Evidence>
): ReadonlyArray<BrokenPromise> =>
  plan.checks.flatMap((check) => {
    if (check.base === undefined) return []
    const row = countedOf(plan, check, composed, rows)?.row
    if (row !== undefined && satisfies(row)) return []
    return [{ ...check.base, checkId: check.id, summary: row?.summary ?? "no evidence" }]
  })

/**
 * The risk once the checks have run: high when an old promise was not seen to hold, and not low when what was changed
 * is part of the Worker's bundle. It is never less than the plan says.
 */
export const riskAfter = (plan: Plan, composed: Composition, rows: ReadonlyArray<Evidence>): RiskTier => {
  if (brokenPromises(plan, composed, rows).length > 0) return "high"
  const bundled = plan.checks.some((check) => (countedOf(plan, check, composed, rows)?.row.inputs ?? []).length > 0)
  return bundled && plan.riskTier === "low" ? "medium" : plan.riskTier
}
