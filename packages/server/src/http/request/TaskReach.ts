/** How far the token of a claimed Task reaches: that Task, its run, and what can be read of its Change. */
import type { Caller } from "@pawl/core/access/Tokens"
import { Unknown } from "@pawl/core/ledger/Refusals"
import type { TaskRun } from "@pawl/core/model/Task"
import { Effect, Schema } from "effect"
import type { ExchangeShape } from "./Exchange.ts"

/** The token is for one Task alone. The facts say for which. */
export class BeyondTask extends Schema.TaggedError<BeyondTask>()("BeyondTask", {
  taskId: Schema.String,
  runId: Schema.String,
  changeId: Schema.String,
  projectId: Schema.String
}) {
  override get message() {
    return `This token is for ${this.taskId} alone. It reads that Task and its Change, and works on its run.`
  }
}

/** That a token of a Task does not lead there. */
export const beyond = ({ changeId, id: runId, projectId, taskId }: TaskRun): BeyondTask =>
  new BeyondTask({ taskId, runId, changeId, projectId })

/** What the id of a path must be, by the path; what is missing here is closed. A Candidate is looked at when it is found. */
const open: Readonly<Record<string, "taskId" | "id" | "changeId" | "projectId" | "candidate">> = {
  "GET /v1/tasks/:id": "taskId",
  "GET /v1/tasks/:id/runs": "taskId",
  "GET /v1/tasks/:id/notes": "taskId",
  "GET /v1/runs/:id/brief": "id",
  "GET /v1/runs/:id/checks": "id",
  "POST /v1/runs/:id/checks": "id",
  "POST /v1/runs/:id/renew": "id",
  "POST /v1/runs/:id/claims": "id",
  "POST /v1/runs/:id/publish": "id",
  "POST /v1/runs/:id/give-up": "id",
  "GET /v1/changes/:id": "changeId",
  "GET /v1/changes/:id/tasks": "changeId",
  "GET /v1/changes/:id/candidates": "changeId",
  "GET /v1/candidates/:id/why": "candidate",
  "GET /v1/candidates/:id/evidence": "candidate",
  "GET /v1/projects/:id/app/logs": "projectId"
}

/** Fails with `BeyondTask` where the caller has the token of a Task, and the path leads elsewhere. */
export const withinTask = ({ run }: Caller, { id, need, path }: ExchangeShape): Effect.Effect<void, BeyondTask> => {
  if (run === undefined) return Effect.void
  const what = open[`${need.scope === "read" ? "GET" : "POST"} ${path}`]
  if (what === undefined) return beyond(run)
  return what === "candidate" || id === run[what] ? Effect.void : beyond(run)
}

/** The Candidate of another Change does not exist for the caller with the token of a Task. */
export const withinChange = ({ run }: Caller, { id, reached }: ExchangeShape): Effect.Effect<void, Unknown> =>
  run === undefined || reached.candidate === undefined || reached.candidate.changeId === run.changeId
    ? Effect.void
    : new Unknown({ kind: "candidate", id: id ?? "" })
