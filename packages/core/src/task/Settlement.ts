/** What the outcome of a run makes of its Task: completed, worked again, failed for good, or stopped. */
import { Effect, Schema } from "effect"
import { compositionOrder } from "../change/WorkGraph.ts"
import { changeSetOf, Made, publication } from "../changeset/Publication.ts"
import { mayWork, stepWork } from "../change/WorkStatus.ts"
import { decideAndCommit, demand } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Process } from "../work/Processes.ts"
import { Records } from "../ledger/Records.ts"
import * as Time from "../primitives/Time.ts"
import type { Head } from "../model/Generation.ts"
import { tierAfter } from "./ModelRoute.ts"
import { Usage } from "./Agent.ts"
import { begin, end, moveTask, type Progress } from "./Progress.ts"
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
    usage: Usage
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

/** Money in millionths of a dollar, so that sums stay exact. */
const sum = (a: number, b: number): number => Math.round((a + b) * 1e6) / 1e6

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
}

const fail = (draft: Progress, task: Task, reason: string) =>
  moveTask(draft, task.id, "failedTerminally", { reason }, failureOf(task, "failed", reason))

/** Another attempt on the tier that it gets, or the end when there is no stronger one. */
const anotherAttempt = (
  draft: Progress,
  task: Task,
  head: Head,
  asked: "Retry" | "Escalate",
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

const stop = (draft: Progress, task: Task, reason: string) => {
  moveTask(draft, task.id, "budgetStopped", { blockedBy: "budget", reason })
  // Another Task of it met the bound before, or the Change has left its work behind.
  const { change } = draft.before
  if (mayWork(draft, change, "budgetStopped")) stepWork(draft, change, "budgetStopped", { reason })
}

/** Settles the run that a Task is at. Nothing happens when the Task has moved on: cancelled, or settled before. */
export const settle = (taskId: string, attempt: number, finding: Finding) =>
  decideAndCommit(
    Effect.gen(function* () {
      const { snapshot, task } = yield* taskInChange(taskId)
      const run = yield* openRun(task)
      if (task.status !== "running" || task.attempt !== attempt || run === null) return { answer: undefined }
      const head = yield* demand("head", task.projectId)
      const runs = yield* (yield* Records).list("taskRun", { where: { taskId }, limit: "all" })
      const now = yield* Time.now
      const draft = begin(snapshot, agentOf(task), now)
      const { change } = snapshot
      const spentUsd = sum(change.record.spentUsd, finding.usage.costUsd)
      Draft.update(draft, "change", change, { spentUsd, updatedAt: now })
      const reason = "reason" in finding ? finding.reason : null
      endRun(draft, run, { outcome: outcomes[finding._tag], reason, ...finding.usage })
      if (finding._tag === "Published" || finding._tag === "Answered") complete(draft, task, run.record, finding)
      else if (finding._tag === "Failed") fail(draft, task, finding.reason)
      else if (finding._tag === "Stopped") stop(draft, task, finding.reason)
      else {
        const before = runs.items.map((each) => each.record).filter((each) => each.id !== run.record.id)
        anotherAttempt(draft, task, head.record, finding._tag, finding.reason, before)
      }
      const { lease } = yield* Process
      return { answer: undefined, commit: end(draft, { name: `Tasks.${outcomes[finding._tag]}`, lease }) }
    })
  ).pipe(Effect.withSpan("Settling.settle"))

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
