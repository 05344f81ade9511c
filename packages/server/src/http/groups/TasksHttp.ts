/** Tasks. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { turnsOf } from "@pawl/core/agent/TurnHistory"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import type { Records } from "@pawl/core/ledger/Records"
import type { Task } from "@pawl/core/model/Task"
import { handOver, retry, stop } from "@pawl/core/task/Interventions"
import { write } from "@pawl/core/task/Notes"
import { PawlApi } from "../../api/PawlApi.ts"
import { type Known, taskInWords } from "../answer/TaskWords.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { listed } from "../answer/RecordPages.ts"
import { actor, onProject, onRun, onTask } from "../request/Reach.ts"
import { turnAnswer } from "./TurnAnswers.ts"

/** Which Tasks of a Project are asked for, and which page of them. */
interface AskedTasks {
  readonly status?: Task["status"] | ReadonlyArray<Task["status"]>
  readonly limit?: number
  readonly cursor?: string
}

/** Whose agent works a Task outside; or why the model of one that is built in gave no answer when it was asked last. */
const knownOf = Effect.fnUntraced(function* ({
  id: taskId,
  projectId,
  status
}: Task): Effect.fn.Return<Known, LedgerUnavailable, Records> {
  if (status !== "running") return {}
  const runs = yield* listed("taskRun", { projectId, where: { taskId }, order: "newest", limit: 1 })
  const [run] = runs.items
  if (run?.outside !== undefined) return { outside: run.outside.claimedBy }
  const runId = run?.id
  if (runId === undefined) return {}
  const calls = yield* listed("modelCall", { projectId, where: { runId }, order: "newest", limit: 1 })
  const newest = calls.items[0]
  return newest?.failure === undefined ? {} : { unanswered: newest.reason ?? newest.failure }
})

const ofProject = Effect.fnUntraced(function* (id: string, { status, ...page }: AskedTasks) {
  const { id: projectId } = yield* onProject(id)
  return yield* listed("task", { projectId, ...(status === undefined ? {} : { where: { status } }), ...page })
})

/** Handlers of `tasks`: read with their runs and notes, stopped, retried and taken over. */
export const TasksHttp = HttpApiBuilder.group(PawlApi, "tasks", (handlers) =>
  handlers
    .handle("get", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const task = yield* onTask(params.id)
          const claims = yield* listed("claim", { projectId: task.projectId, where: { taskId: task.id }, limit: "all" })
          return { task, claims: claims.items, next: taskInWords(task, yield* knownOf(task)) }
        })
      )
    )
    .handle("ofProject", ({ params, query }) => answering(ofProject(params.id, query)))
    .handle("runs", ({ params, query }) =>
      answering(
        Effect.flatMap(onTask(params.id), (task) =>
          listed("taskRun", { projectId: task.projectId, where: { taskId: task.id }, ...query })
        )
      )
    )
    .handle("turns", ({ params, query }) =>
      answering(
        Effect.gen(function* () {
          const page = yield* turnsOf(yield* onRun(params.id), query)
          return { ...page, items: page.items.map(turnAnswer) }
        })
      )
    )
    .handle("notes", ({ params, query }) =>
      answering(
        Effect.flatMap(onTask(params.id), (task) =>
          listed("note", { projectId: task.projectId, where: { taskId: task.id }, ...query })
        )
      )
    )
    .handle("writeNote", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const task = yield* onTask(params.id)
          return { note: yield* write(yield* actor, task.id, payload.text) }
        })
      )
    )
    .handle("stop", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const task = yield* onTask(params.id)
          return { task: yield* stop(yield* actor, task.id) }
        })
      )
    )
    .handle("retry", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const task = yield* onTask(params.id)
          return { task: yield* retry(yield* actor, task.id) }
        })
      )
    )
    .handle("handOver", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const task = yield* onTask(params.id)
          return { task: yield* handOver(yield* actor, task.id) }
        })
      )
    )
)
