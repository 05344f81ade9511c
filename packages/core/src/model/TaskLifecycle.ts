/** The whole life of a Task, on one screen (specification, "Task status"). */
import * as Lifecycle from "./Lifecycle.ts"
import { taskStatuses } from "./Task.ts"

export const TaskLifecycle = Lifecycle.make("task", {
  states: taskStatuses,
  // A person's Task is stored as it is completed; a cancel during compiling stores cancelled ones.
  initial: ["pending", "ready", "completed", "cancelled"],
  final: ["completed", "failed", "cancelled"],
  rows: [
    ["pending", "dependenciesCompleted", "ready"],
    ["pending", "dependencyFailed", "blocked"],
    [
      "ready",
      "admitted",
      "assigned",
      { when: "a slot is free (at most 8 active agents per Change)", also: "task.assigned" }
    ],
    ["ready", "deferred", "ready", { when: "8 agents are already active" }],
    [["ready", "assigned"], "wakeDeadLettered", "blocked", { also: "task.failed" }],
    ["assigned", "started", "running", { also: "task.started" }],
    ["running", "retried", "running", { when: "retry or escalate" }],
    ["running", "published", "completed", { also: "changeset.proposed, task.completed" }],
    ["running", "failedTerminally", "failed", { also: "task.failed" }],
    [
      "running",
      "budgetStopped",
      "blocked",
      { when: "a budget or limit stop; its wake being dead-lettered while it runs is one", also: "dependents blocked" }
    ],
    ["blocked", "retriedByOperator", "ready", { when: "an operator retries a dead letter" }],
    ["blocked", "budgetRaised", "ready", { when: "it was stopped by the budget" }],
    ["blocked", "dependencyRevived", "pending", { when: "the Task it waits for was blocked and is ready again" }],
    [["pending", "ready", "assigned", "running", "blocked"], "changeCancelled", "cancelled"]
  ]
})
