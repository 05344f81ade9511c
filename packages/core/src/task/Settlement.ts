/** What the outcome of a run makes of its Task: completed, worked again, failed for good, or stopped. */
import { Effect, Schema } from "effect"
import { sumOf } from "../agent/Reservation.ts"
import { StoppedBy } from "../agent/TurnFailures.ts"
import { dispatchOf, isClosed } from "../change/Changes.ts"
import { compositionOrder } from "../change/WorkGraph.ts"
import { changeSetOf, Made, publication } from "../changeset/Publication.ts"
import { mayWork, stepWork } from "../change/WorkStatus.ts"
import { decideAndCommit, demand } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import type { Lease } from "../model/Command.ts"
import { Process } from "../work/Processes.ts"
import { Records } from "../ledger/Records.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import type { Head } from "../model/Generation.ts"
import { type NextAttempt, tierAfter } from "./ModelRoute.ts"
import { Usage } from "./Agent.ts"
import { begin, changeIn, end, leaveLane, moveTask, type Progress } from "./Progress.ts"
import type { Task, TaskRun } from "../model/Task.ts"
import { agentOf, endRun, failureOf, taskInChange, newRun, openRun, routeOf } from "./Tasks.ts"
import { dependenciesOf } from "./Workspaces.ts"

/** How a run ended, as its process journals it: small, and all that is needed to settle it. */
export const Finding = Schema.Union([
  Schema.TaggedStruct("Published", {
    made: Made,
    base: Schema.Struct({ generation: Schema.Finite, commit: Schema.String }),
    message: Schema.String,
    usage: Usage
  }),
  /** Completed without a ChangeSet. `objectKey` names what a read-only Task found. */
  Schema.TaggedStruct("Answered", { objectKey: Schema.NullOr(Schema.String), usage: Usage }),
  Schema.Struct({
    _tag: Schema.Literals(["Retry", "Escalate", "Failed", "Stopped"]),
    reason: Schema.String,
    usage: Usage,
    /** Of one to retry: another version of this program began it, and no try is used up. */
    diverged: Schema.optionalKey(Schema.Literal(true)),
    /** Of one that was stopped: what stood in its way. The budget where it is not said. */
    by: Schema.optionalKey(StoppedBy)
  })
])
export type Finding = typeof Finding.Type

const outcomes = {
  Published: "completed",
  Answered: "completed",
  Retry: "retried",
  Escalate: "escalated",
  Failed: "failed",
  Stopped: "stopped"
} as const

const outcomeOf = (finding: Finding): string =>
  "diverged" in finding && finding.diverged === true ? "diverged" : outcomes[finding._tag]

const complete = (
  draft: Progress,
  task: Task,
  run: TaskRun,
  finding: Extract<Finding, { readonly _tag: "Published" | "Answered" }>
) => {
  if (finding._tag === "Answered") {
    const findings = finding.objectKey === null ? {} : { findings: finding.objectKey }
    return moveTask(draft, task.id, "published", {}, publication(task, null, { intentsDeclared: false, ...findings }))
  }
  const { base, made, message } = finding
  const changeSet = changeSetOf({ task, run, author: agentOf(task), base, made, message, now: draft.now })
  moveTask(draft, task.id, "published", {}, publication(task, changeSet, { intentsDeclared: true }))
  Draft.insert(draft, "changeSet", changeSet)
  leaveLane(draft)
}

const fail = (draft: Progress, task: Task, reason: string) =>
  moveTask(draft, task.id, "failedTerminally", { reason }, failureOf(task, "failed", reason))

/** Another attempt on the tier that it gets, or the end when there is no stronger one. */
const anotherAttempt = (
  draft: Progress,
  task: Task,
  head: Head,
  asked: NextAttempt,
  reason: string,
  runs: ReadonlyArray<TaskRun>
) => {
  const tier = task.tier === null ? null : tierAfter(asked, task.tier, runs)
  if (tier === null) return fail(draft, task, `every model tier has used up its attempts; the last one: ${reason}`)
  const attempt = task.attempt + 1
  const run = newRun({ ...task, attempt, tier }, head, draft.now)
  moveTask(draft, task.id, "retried", { attempt, tier, reason }, routeOf(task, run))
  Draft.insert(draft, "taskRun", run)
}

/** The word that the reason of a Change begins with whose money or calls are used up. */
const exhausted = "budget_exhausted"

const stop = (draft: Progress, task: Task, said: string, by: StoppedBy) => {
  const { change } = draft.before
  if (isClosed(changeIn(draft).status))
    return moveTask(draft, task.id, "changeCancelled", { reason: `the Change is ${change.record.status}` })
  // Its run was ended while the Change goes on: whoever did that has moved the Task too.
  const blockedBy = by === "change" ? "budget" : by
  if (blockedBy === "model") return moveTask(draft, task.id, "budgetStopped", { blockedBy, reason: said })
  const reason = said.startsWith(exhausted) ? said : `${exhausted}: ${said}`
  moveTask(draft, task.id, "budgetStopped", { blockedBy, reason })
  if (blockedBy === "calls") Draft.send(draft, { ...dispatchOf(task.changeId), delayMs: Limits.modelCapLookMs })
  // Another Task of it met the bound before, or the Change has left its work behind.
  if (mayWork(draft, change, "budgetStopped")) stepWork(draft, change, "budgetStopped", { reason })
}

/**
 * Settles the run that a Task is at, and answers whether it did: nothing happens when the Task has moved on, cancelled or
 * settled before. A process settles under its lease; a run that is worked outside is settled by whoever holds it.
 */
export const settling = (taskId: string, attempt: number, finding: Finding, lease?: Lease) =>
  decideAndCommit(
    Effect.gen(function* () {
      const { snapshot, task } = yield* taskInChange(taskId)
      const run = yield* openRun(task)
      if (task.status !== "running" || task.attempt !== attempt || run === null) return { answer: false }
      const head = yield* demand("head", task.projectId)
      const runs = yield* (yield* Records).list("taskRun", { where: { taskId }, limit: "all" })
      const now = yield* Time.now
      const draft = begin(snapshot, agentOf(task), now)
      const { change } = snapshot
      const spentUsd = sumOf(change.record.spentUsd, finding.usage.costUsd)
      Draft.update(draft, "change", change, { spentUsd, updatedAt: now })
      const reason = "reason" in finding ? finding.reason : null
      // Its turns were booked one by one.
      const modelCalls = run.record.modelCalls + finding.usage.modelCalls
      const costUsd = sumOf(run.record.costUsd, finding.usage.costUsd)
      endRun(draft, run, { outcome: outcomeOf(finding), reason, modelCalls, costUsd })
      if (finding._tag === "Published" || finding._tag === "Answered") complete(draft, task, run.record, finding)
      else if (finding._tag === "Failed") fail(draft, task, finding.reason)
      else if (finding._tag === "Stopped") stop(draft, task, finding.reason, finding.by ?? "budget")
      else {
        const before = runs.items.map((each) => each.record).filter((each) => each.id !== run.record.id)
        const asked = finding.diverged === true ? "Diverged" : finding._tag
        anotherAttempt(draft, task, head.record, asked, finding.reason, before)
      }
      const held = lease === undefined ? {} : { lease }
      return { answer: true, commit: end(draft, { name: `Tasks.${outcomeOf(finding)}`, ...held }) }
    })
  ).pipe(Effect.withSpan("Settling.settle"))

/** Settles what the process of a Task's agent found. */
export const settle = (taskId: string, attempt: number, finding: Finding) =>
  Effect.flatMap(Process, ({ lease }) => settling(taskId, attempt, finding, lease))

/** What a run starts from: the ChangeSets, and the findings, of the Tasks that it depends on. */
export const inheritance = Effect.fnUntraced(function* (taskId: string) {
  const { snapshot, task } = yield* taskInChange(taskId)
  const tasks = snapshot.tasks.map((each) => each.record)
  const needed = dependenciesOf(task, tasks)
  const records = yield* Records
  const all = yield* records.list("changeSet", { where: { changeId: task.changeId }, limit: "all" })
  const own = all.items.map((each) => each.record).filter((each) => needed.some((other) => other.id === each.taskId))
  return { change: snapshot.change.record, task, needed, changeSets: compositionOrder(own, tasks) }
})
