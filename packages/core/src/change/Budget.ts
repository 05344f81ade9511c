/** The budget of a Change can only be raised. */
import { Effect, Schema } from "effect"
import { usedUpReason } from "../agent/CallCap.ts"
import { sumOf } from "../agent/Reservation.ts"
import { type Actor, system } from "../model/Actor.ts"
import { decideAndCommit } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { InvalidField } from "../ledger/Refusals.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { demandActive, unchangedProject } from "../project/ArchivedProject.ts"
import { begin, changeIn, end, moveTask, type Progress, readiness } from "../task/Progress.ts"
import { snapshotOf } from "../task/Tasks.ts"
import { type Change, isBudget } from "../model/Change.ts"
import type { Task } from "../model/Task.ts"
import { ChangeClosed, dispatchOf, isClosed } from "./Changes.ts"
import { Waiting } from "../work/Processes.ts"
import { mayWork, stepWork, workStatus } from "./WorkStatus.ts"

/** `current` and `asked` are in US dollars. */
export class BudgetCannotDecrease extends Schema.TaggedError<BudgetCannotDecrease>()("BudgetCannotDecrease", {
  current: Schema.Finite,
  asked: Schema.Finite
}) {
  override get message() {
    return `The budget is ${this.current} USD; ${this.asked} is less.`
  }
}

/** What the budget, or the calls of a day, had stopped goes on. Of a Change where nothing was stopped nothing moves. */
const revive = (draft: Progress): void => {
  const { change, tasks } = draft.before
  if (mayWork(draft, change, "budgetRaised")) stepWork(draft, change, "budgetRaised", { reason: null })
  for (const { record } of tasks)
    if (record.blockedBy === "budget" || record.blockedBy === "calls")
      moveTask(draft, record.id, "budgetRaised", {}, readiness(record))
}

/** What stops a Change now: a bound of the day, its budget, or nothing any more, since people took up what was stopped. */
const stoppedBy = (change: Change, tasks: ReadonlyArray<Task>): "calls" | "budget" | "nothing" | null => {
  if (tasks.some(({ blockedBy }) => blockedBy === "calls")) return "calls"
  if (workStatus(change) !== "budget_blocked") return null
  const isSpent = sumOf(change.spentUsd, change.reservedUsd) >= change.budgetUsd
  const waits = ({ blockedBy, status }: Task) => blockedBy === "budget" || (isSpent && status === "ready")
  return tasks.some(waits) ? "budget" : "nothing"
}

/**
 * What the calls of a day had stopped goes on when there are more: on the next day, or where more are allowed since.
 * Until then it waits. So does a Change whose stopped Tasks people have all taken up again, or over. Nothing happens to
 * any other: a budget waits for its raise.
 */
export const goOn = (changeId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const snapshot = yield* snapshotOf(changeId)
      const { projectId, status } = snapshot.change.record
      const by = stoppedBy(
        snapshot.change.record,
        snapshot.tasks.map(({ record }) => record)
      )
      if (by === null || by === "budget" || isClosed(status)) return { answer: undefined }
      const reason = by === "calls" ? yield* usedUpReason(projectId) : null
      if (reason !== null) return yield* Effect.fail(new Waiting(reason, Limits.modelCapLookMs))
      const draft = begin(snapshot, system("budget"), yield* Time.now)
      revive(draft)
      return { answer: undefined, commit: end(draft, { name: "Budget.goOn" }) }
    })
  ).pipe(Effect.withSpan("Budget.goOn"))

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
      revive(draft)
      // Its planning may wait for more.
      if (change.record.status === "compiling") Draft.send(draft, dispatchOf(changeId))
      const commit = end(draft, { name: "Budget.raise" })
      return { answer: changeIn(draft), commit }
    })
  ).pipe(Effect.withSpan("Budget.raise"))
