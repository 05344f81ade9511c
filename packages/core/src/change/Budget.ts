/** The budget of a Change can only be raised. */
import { Effect, Schema } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand } from "../ledger/Deciding.ts"
import { InvalidField } from "../ledger/Refusals.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { isBudget } from "./Change.ts"
import { ChangeClosed, isClosed } from "./Changes.ts"

export class BudgetCannotDecrease extends Schema.TaggedError<BudgetCannotDecrease>()("BudgetCannotDecrease", {
  current: Schema.Number,
  asked: Schema.Number
}) {}

/** Raises a budget. The same budget again changes nothing. */
export const raise = (changeId: string, budget_usd: number) =>
  decideAndCommit(
    Effect.gen(function* () {
      if (!isBudget(budget_usd))
        return yield* new InvalidField({
          code: "invalid_budget",
          field: "budget_usd",
          reason: `use a number above 0 and at most ${Limits.budgetMaxUsd}, with at most 2 decimals`
        })
      const change = yield* demand("change", changeId)
      if (budget_usd === change.record.budget_usd) return { answer: change.record }
      if (isClosed(change.record.status)) return yield* new ChangeClosed({ changeId, status: change.record.status })
      if (budget_usd < change.record.budget_usd)
        return yield* new BudgetCannotDecrease({ current: change.record.budget_usd, asked: budget_usd })
      const raised = { ...change.record, budget_usd, updatedAt: yield* Time.now }
      return {
        answer: raised,
        commit: {
          name: "Budget.raise",
          projectId: change.record.projectId,
          writes: [Commit.update("change", change, raised)]
        }
      }
    })
  ).pipe(Effect.withSpan("Budget.raise"))
