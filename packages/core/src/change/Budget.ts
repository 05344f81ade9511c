/** The budget of a Change can only be raised. */
import { Effect, Schema } from "effect"
import type { Actor } from "../model/Actor.ts"
import { decideAndCommit } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { InvalidField } from "../ledger/Refusals.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { demandActive, unchangedProject } from "../project/ArchivedProject.ts"
import { begin, changeIn, end, moveTask, readiness } from "../task/Progress.ts"
import { snapshotOf } from "../task/Tasks.ts"
import { isBudget } from "../model/Change.ts"
import { ChangeClosed, isClosed } from "./Changes.ts"
import { mayWork, stepWork } from "./WorkStatus.ts"

/** `current` and `asked` are in US dollars. */
export class BudgetCannotDecrease extends Schema.TaggedError<BudgetCannotDecrease>()("BudgetCannotDecrease", {
  current: Schema.Finite,
  asked: Schema.Finite
}) {
  override get message() {
    return `The budget is ${this.current} USD; ${this.asked} is less.`
  }
}

/**
 * Raises a budget. The same budget again changes nothing. A Change that its budget had stopped runs on: the Tasks that
 * were stopped are ready, and what depends on them waits for them again. Fails with `InvalidField`,
 * `BudgetCannotDecrease`, `ChangeClosed`, `ProjectArchived` or `Unknown`.
 */
export const raise = (actor: Actor, changeId: string, budgetUsd: number) =>
  decideAndCommit(
    Effect.gen(function* () {
      const snapshot = yield* snapshotOf(changeId)
      const project = yield* demandActive(snapshot.change.record.projectId)
      if (!isBudget(budgetUsd))
        return yield* new InvalidField({
          code: "invalid_budget",
          field: "budgetUsd",
          reason: `use a number above 0 and at most ${Limits.budgetMaxUsd}, with at most 2 decimals`
        })
      const { change } = snapshot
      if (budgetUsd === change.record.budgetUsd) return { answer: change.record }
      if (isClosed(change.record.status)) return yield* new ChangeClosed({ changeId, status: change.record.status })
      if (budgetUsd < change.record.budgetUsd)
        return yield* new BudgetCannotDecrease({ current: change.record.budgetUsd, asked: budgetUsd })
      const draft = begin(snapshot, actor, yield* Time.now)
      Draft.expect(draft, unchangedProject(project))
      Draft.update(draft, "change", change, { budgetUsd, updatedAt: draft.now })
      // Of a Change that its budget had not stopped nothing waits for more.
      if (mayWork(draft, change, "budgetRaised")) {
        stepWork(draft, change, "budgetRaised", { reason: null })
        for (const { record } of snapshot.tasks)
          if (record.blockedBy === "budget") moveTask(draft, record.id, "budgetRaised", {}, readiness(record))
      }
      const commit = end(draft, { name: "Budget.raise" })
      return { answer: changeIn(draft), commit }
    })
  ).pipe(Effect.withSpan("Budget.raise"))
