/** What the outcome of a run makes of its Task: completed, worked again, failed for good, or stopped. */
import { Effect } from "effect"
import { compositionOrder } from "../change/WorkGraph.ts"
import { changeSetOf, type Made, publish } from "../changeset/Publication.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand } from "../ledger/Deciding.ts"
import { Process } from "../work/Processes.ts"
import { Records } from "../ledger/Records.ts"
import * as Time from "../primitives/Time.ts"
import type { Head } from "../model/Generation.ts"
import { tierAfter } from "./ModelRouting.ts"
import type { Usage } from "./Agent.ts"
import { begin, type Draft, end, moveChange, moveTask, setChange } from "./Progress.ts"
import type { Task, TaskRun } from "../model/Task.ts"
import { agentOf, announceRun, endRun, failedEvent, inContext, newRun, openRun } from "./Tasks.ts"
import { dependenciesOf } from "./Workspaces.ts"

/** How a run ended, as its process journals it: small, and all that is needed to settle it. */
export type Finding = { readonly usage: Usage } & (
  | {
      readonly _tag: "Published"
      readonly made: Made
      readonly base: { readonly generation: number; readonly commit: string }
      readonly message: string
    }
  /** Completed without a ChangeSet. `objectKey` names what a read-only Task found. */
  | { readonly _tag: "Answered"; readonly objectKey: string | null }
  | { readonly _tag: "Retry" | "Escalate" | "Failed" | "Stopped"; readonly reason: string }
)

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
  draft: Draft,
  task: Task,
  run: TaskRun,
  finding: Extract<Finding, { readonly _tag: "Published" | "Answered" }>
) => {
  const completed = moveTask(draft, task.id, "published")
  if (completed === null) return
  if (finding._tag === "Answered")
    return publish(draft, completed, null, {
      intentsDeclared: false,
      ...(finding.objectKey === null ? {} : { findings: finding.objectKey })
    })
  const { base, made, message } = finding
  const author = agentOf(task)
  const changeSet = changeSetOf({ task: completed, run, author, base, made, message, now: draft.now })
  publish(draft, completed, changeSet, { intentsDeclared: true })
}

const fail = (draft: Draft, task: Task, reason: string) => {
  const failed = moveTask(draft, task.id, "failedTerminally", { reason })
  if (failed !== null) failedEvent(draft, failed, reason)
}

/** Another attempt on the tier that it gets, or the end when there is no stronger one. */
const again = (
  draft: Draft,
  task: Task,
  head: Head,
  asked: "Retry" | "Escalate",
  reason: string,
  runs: ReadonlyArray<TaskRun>
) => {
  const tier = task.tier === null ? null : tierAfter(asked, task.tier, runs)
  if (tier === null) return fail(draft, task, `every model tier has used up its attempts; the last one: ${reason}`)
  const retried = moveTask(draft, task.id, "retried", { attempt: task.attempt + 1, tier, reason })
  if (retried === null) return
  const run = newRun(retried, head, draft.now)
  draft.writes.push(Commit.insert("taskRun", run))
  announceRun(draft, retried, run)
}

const stop = (draft: Draft, task: Task, reason: string) => {
  if (moveTask(draft, task.id, "budgetStopped", { blockedBy: "budget", reason }) === null) return
  moveChange(draft, "budgetStopped", { reason })
}

/** Settles the run that a Task is at. Nothing happens when the Task has moved on: cancelled, or settled before. */
export const settle = (taskId: string, attempt: number, finding: Finding) =>
  decideAndCommit(
    Effect.gen(function* () {
      const { snapshot, task } = yield* inContext(taskId)
      const run = yield* openRun(task)
      if (task.status !== "running" || task.attempt !== attempt || run === null) return { answer: undefined }
      const head = yield* demand("head", task.projectId)
      const runs = yield* (yield* Records).list("taskRun", { where: { taskId }, limit: "all" })
      const now = yield* Time.now
      const draft = begin(snapshot, agentOf(task), now)
      const { change } = snapshot
      setChange(draft, { spent_usd: sum(change.record.spent_usd, finding.usage.cost_usd) })
      const reason = "reason" in finding ? finding.reason : null
      draft.writes.push(endRun(run, { outcome: outcomes[finding._tag], reason, ...finding.usage }, now))
      if (finding._tag === "Published" || finding._tag === "Answered") complete(draft, task, run.record, finding)
      else if (finding._tag === "Failed") fail(draft, task, finding.reason)
      else if (finding._tag === "Stopped") stop(draft, task, finding.reason)
      else {
        const before = runs.items.map((each) => each.record).filter((each) => each.id !== run.record.id)
        again(draft, task, head.record, finding._tag, finding.reason, before)
      }
      const { lease } = yield* Process
      return { answer: undefined, commit: end(draft, { name: `Tasks.${outcomes[finding._tag]}`, lease }) }
    })
  ).pipe(Effect.withSpan("Settling.settle"))

/** What a run starts from: the ChangeSets, and the findings, of the Tasks that it depends on. */
export const inheritance = Effect.fnUntraced(function* (taskId: string) {
  const { snapshot, task } = yield* inContext(taskId)
  const tasks = snapshot.tasks.map((each) => each.record)
  const needed = dependenciesOf(task, tasks)
  const records = yield* Records
  const all = yield* records.list("changeSet", { where: { changeId: task.changeId }, limit: "all" })
  const own = all.items.map((each) => each.record).filter((each) => needed.some((other) => other.id === each.taskId))
  return { change: snapshot.change.record, task, needed, changeSets: compositionOrder(own, tasks) }
})
