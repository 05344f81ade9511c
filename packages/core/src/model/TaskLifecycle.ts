/** The whole life of a Task, on one screen (specification, "Task status"). */
import * as Lifecycle from "./Lifecycle.ts"
import { type Task, taskStatuses } from "./Task.ts"

/** Every step that a Task may take, and the events that tell of it. What is absent is refused. */
export const TaskLifecycle = Lifecycle.make("task", {
  states: taskStatuses,
  // A person's Task is stored as it is completed; a cancel during compiling stores cancelled ones.
  initial: ["pending", "ready", "completed", "cancelled"],
  birth: ["task.created", "task.ready", "changeset.proposed", "task.completed"],
  final: ["completed", "failed", "cancelled"],
  rows: [
    ["pending", "dependenciesCompleted", "ready", { emits: ["task.ready"] }],
    ["pending", "dependencyFailed", "blocked"],
    [
      "ready",
      "admitted",
      "assigned",
      { when: "a slot is free (at most 8 active agents per Change)", emits: ["task.assigned"] }
    ],
    [
      "ready",
      "deferred",
      "ready",
      { when: "8 agents are already active, or another Task of the Change is writing the same" }
    ],
    [["ready", "assigned"], "wakeDeadLettered", "blocked", { emits: ["task.failed"] }],
    ["assigned", "started", "running", { emits: ["agent.woken", "model.route.decided", "task.started"] }],
    ["running", "retried", "running", { when: "retry or escalate", emits: ["model.route.decided"] }],
    [
      "running",
      "published",
      "completed",
      {
        emits: ["task.completed"],
        mayEmit: ["changeset.proposed", "intent.declared"],
        also: "without a ChangeSet when nothing changed"
      }
    ],
    [
      "blocked",
      "published",
      "completed",
      {
        when: "the person who holds it sends its ChangeSet",
        emits: ["task.completed"],
        mayEmit: ["changeset.proposed", "intent.declared"]
      }
    ],
    [
      "running",
      "handedBack",
      "ready",
      { when: "who worked it outside gave it up, or let its lease end", emits: ["task.ready"], also: "its run ends" }
    ],
    ["running", "failedTerminally", "failed", { emits: ["task.failed"] }],
    [
      "running",
      "budgetStopped",
      "blocked",
      {
        when: "a budget or limit stop; its wake being dead-lettered while it runs is one",
        mayEmit: ["task.failed"],
        also: "dependents blocked; the dead letter is told, the budget is its Change's"
      }
    ],
    [
      ["pending", "ready", "assigned", "running", "blocked"],
      "stoppedByPerson",
      "blocked",
      { emits: ["task.failed"], also: "its run ends; dependents blocked" }
    ],
    [
      ["pending", "ready", "assigned", "running", "blocked"],
      "handedOver",
      "blocked",
      { when: "a person takes it", emits: ["task.assigned"], also: "its run ends; dependents wait for that person" }
    ],
    [
      "blocked",
      "retriedByOperator",
      "ready",
      { when: "an operator retries a dead letter, or a person gives it to its agent again", emits: ["task.ready"] }
    ],
    ["blocked", "givenBack", "pending", { when: "so, and it depends on Tasks that are not completed" }],
    ["blocked", "budgetRaised", "ready", { when: "it was stopped by the budget", emits: ["task.ready"] }],
    ["blocked", "dependencyRevived", "pending", { when: "the Task it waits for was blocked and is ready again" }],
    [["pending", "ready", "assigned", "running", "blocked"], "changeCancelled", "cancelled"]
  ]
})

/** Whether a Task is completed, failed for good or cancelled: nothing takes it up again. */
export const isOver = ({ status }: Pick<Task, "status">): boolean => Lifecycle.isFinal(TaskLifecycle, status)
