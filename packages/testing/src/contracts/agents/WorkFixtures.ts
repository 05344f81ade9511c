/** Records of one planned Change, its Task and a run of it, as dispatch hands them to a planner or an agent. */
import { Schema } from "effect"
import type { PlannedTask } from "@pawl/core/change/WorkGraph"
import { Change } from "@pawl/core/model/Change"
import { Task, TaskRun } from "@pawl/core/model/Task"

const projectId = "proj_00000000-0000-4000-8000-000000000001"
const changeId = "chg_00000000-0000-4000-8000-000000000001"
const taskId = `tsk_${changeId}_hello`
const at = "2026-01-01T00:00:00.000Z"

/** A small Task that may write one file. */
export const plannedTask: PlannedTask = {
  key: "hello",
  title: "Say hello",
  kind: "implement",
  complexity: "small",
  instructions: "Add a file that says hello.",
  dependsOn: [],
  writes: ["hello.txt"]
}

/** The Change of that Task. */
export const changeOf = (): Change =>
  Schema.decodeUnknownSync(Change)({
    id: changeId,
    projectId,
    clientRequestId: "first",
    goal: "Say hello",
    status: "running",
    riskTier: "unknown",
    budget_usd: 5,
    spent_usd: 0,
    kind: "goal",
    createdBy: { type: "user", id: "usr_1" },
    createdAt: at,
    updatedAt: at,
    statusBeforePromoting: null,
    planned: true,
    reason: null
  })

/** That Task, as it is stored. */
export const taskOf = (): Task =>
  Schema.decodeUnknownSync(Task)({
    id: taskId,
    projectId,
    changeId,
    key: plannedTask.key,
    title: plannedTask.title,
    kind: plannedTask.kind,
    complexity: plannedTask.complexity,
    dependsOn: [],
    status: "running",
    attempt: 1,
    tier: "fast",
    reason: null,
    createdAt: at,
    updatedAt: at
  })

/** Its first run. */
export const runOf = (): TaskRun =>
  Schema.decodeUnknownSync(TaskRun)({
    id: `run_${taskId}_1`,
    projectId,
    changeId,
    taskId,
    attempt: 1,
    tier: "fast",
    workspaceFork: null,
    baseCommit: "a".repeat(40),
    startedAt: at,
    endedAt: null,
    outcome: null,
    modelCalls: 0,
    cost_usd: 0,
    forkDeletedAt: null
  })
