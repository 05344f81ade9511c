/**
 * The time that checks may run in sandboxes in a month, in all (specification, "Limits": monthly sandbox cap).
 * Organizations share it.
 */
import { Effect } from "effect"
import { DailyCounter } from "../bundle/DailyCounter.ts"
import * as Shares from "../bundle/Shares.ts"
import { Settings } from "../primitives/Settings.ts"

/** The time of this month in sandboxes, of all Projects: ms. */
export const sandboxBudget = Effect.flatMap(Settings, ({ sandboxMsPerMonth }) =>
  Shares.budgetOfMonth("sandbox-ms", sandboxMsPerMonth)
)

/** Why no check of a Project can run now; null while there is time left. */
export const noBudgetReason = Effect.fnUntraced(function* (projectId: string) {
  const budget = yield* sandboxBudget
  const left = yield* Shares.shareLeft(budget, yield* Shares.payerOf(projectId))
  if (left === "some") return null
  const hours = Math.round(budget.max / 360_000) / 10
  return left === "none"
    ? `no sandbox budget: checks have run for all ${hours} hours of this month`
    : `no sandbox budget: what is left of the ${hours} hours of this month is kept for other organizations`
})

/** Counts what one run of a check took, whatever it showed: for its organization, and in all. */
export const spend = Effect.fnUntraced(function* (projectId: string, ms: number) {
  const took = Math.ceil(ms)
  if (took <= 0) return
  const { day, name } = yield* sandboxBudget
  const counter = yield* DailyCounter
  yield* counter.add(name, day, took, yield* Shares.countersBeside(name, projectId))
})
