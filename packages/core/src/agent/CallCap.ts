/** Calls of models that may be made in a day, in all (specification, "Limits": counter `agent-model-calls`). */
import { Effect } from "effect"
import { DailyCounter } from "../bundle/DailyCounter.ts"
import * as Shares from "../bundle/Shares.ts"
import { callsOfDay } from "../project/Usage.ts"

/** Why no model is asked for a Project today; null while it may. */
export const usedUpReason = Effect.fnUntraced(function* (projectId: string) {
  const budget = yield* callsOfDay
  const left = yield* Shares.shareLeft(budget, yield* Shares.payerOf(projectId))
  if (left === "some") return null
  return `budget_exhausted: all ${budget.max} calls of models of today (UTC) are used${left === "kept" ? ", or kept for other organizations" : ""}`
})

/** Counts a call before it is made, for its organization and in all. Answers why it may not be made; null when it may. */
export const take = Effect.fnUntraced(function* (projectId: string) {
  const reason = yield* usedUpReason(projectId)
  if (reason !== null) return reason
  const { day, max, name } = yield* callsOfDay
  const counter = yield* DailyCounter
  if (yield* counter.take(name, day, max, yield* Shares.countersBeside(name, projectId))) return null
  return `budget_exhausted: all ${max} calls of models of today (UTC) are used`
})
